from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._core.output import ValidationProblem
from finalturn._jsonschema.validate import problems_finder

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "when": {"type": "string", "format": "date-time"},
        "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "never": False,
        "node": {"$ref": "#/$defs/node"},
        "name": {"pattern": r"^(?!root)\w+$"},
    },
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {
        "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["v"]}
    },
}


@pytest.mark.parametrize(
    "value",
    [
        {"id": 9007199254740993},
        {"id": 1.0, "tags": []},
        {"id": 1, "when": "not a date"},
        {"id": 1, "either": None, "name": "admin"},
        {"id": 1, "node": {"v": 1, "next": {"v": 1}}},
    ],
)
def test_what_matches_has_no_problems(value: Any) -> None:
    assert problems_finder(SCHEMA)(value) == []


@pytest.mark.parametrize(
    ("value", "path", "kind"),
    [
        ([], (), "type"),
        ({}, (), "required"),
        ({"id": "1"}, ("id",), "type"),
        ({"id": True}, ("id",), "type"),
        ({"id": 1, "tags": ["a", 2]}, ("tags", 1), "type"),
        ({"id": 1, "SECRET": 2}, (), "additionalProperties"),
        ({"id": 1, "either": "x"}, ("either",), "anyOf"),
        ({"id": 1, "never": 1}, (), "not allowed"),
        ({"id": 1, "node": {"v": 1, "next": {}}}, ("node", "next"), "required"),
        ({"id": 1, "name": "root"}, ("name",), "pattern"),
    ],
)
def test_a_problem_has_a_place_and_a_keyword(value: Any, path: tuple[str | int, ...], kind: str) -> None:
    (problem,) = problems_finder(SCHEMA)(value)
    assert (problem.path, problem.kind) == (path, kind)
    assert problem.message


def test_why_no_branch_fits_is_told() -> None:
    (problem,) = problems_finder(SCHEMA)({"id": 1, "either": "x"})
    assert problem.message == (
        "'x' is not valid under any of the given schemas "
        "('x' is not of type 'integer'; 'x' is not of type 'null')"
    )


def test_messages_and_their_number_are_bounded() -> None:
    problems = problems_finder({"items": {"type": "integer"}})(["x" * 1000] * 100)
    assert len(problems) == 11
    assert {len(problem.message) for problem in problems} == {183}
    assert all(problem.message.endswith("xx' is not of type 'integer'") for problem in problems)


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"type": "objekt"}, "at type: "),
        ({"properties": {"a": {"type": 5}}}, "at properties/a/type: "),
        ({"pattern": "("}, "at pattern: "),
        ({"patternProperties": {"[": True}}, "at patternProperties: "),
        ({"minLength": -1}, "at minLength: "),
        ({"required": "a"}, "at required: "),
        ({"items": [True, True]}, "at items: "),
        ({"$defs": {"a": {"enum": 5}}}, "at $defs/a/enum: "),
        ({"$ref": 5}, "at $ref: "),
    ],
)
def test_a_schema_that_is_not_one_is_refused(schema: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        problems_finder(schema)
    message = "the response_format mapping is not a valid JSON Schema (draft 2020-12): "
    assert str(caught.value).startswith(message + where)
    assert caught.value.__cause__ is None


def test_a_schema_that_is_nested_too_deeply_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(400):
        schema = {"items": schema}
    with pytest.raises(ConfigurationError, match="nested too deeply"):
        problems_finder(schema)


def test_a_value_that_is_nested_too_deeply_does_not_pass() -> None:
    find = problems_finder({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}})
    value: Any = "leaf"
    for _ in range(2000):
        value = [value]
    with pytest.raises(RecursionError):
        find(value)


def test_the_reason_is_the_first_problem_in_full() -> None:
    assert problems_finder({"const": 1})(2) == [ValidationProblem((), "const", "1 was expected")]


def test_the_library_is_imported_only_when_a_schema_is_given() -> None:
    code = (
        "import sys, finalturn._jsonschema.validate as m; assert 'jsonschema' not in sys.modules; "
        "m.problems_finder({}); assert 'jsonschema' in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)}, timeout=120
    )
