"""Arguments from a JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._tools.arguments import ArgumentsError
from finalturn._tools.schema_arguments import SchemaArguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}}},
    "required": ["id"],
    "additionalProperties": False,
    "$defs": {"tag": {"type": "string"}},
}


def test_what_fits() -> None:
    found = SchemaArguments(SCHEMA, "far")
    assert found.schema == SCHEMA
    assert found.read('{"id":9007199254740993,"tags":["a"]}') == (
        (),
        {"id": 9007199254740993, "tags": ["a"]},
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "- the arguments: 'id' is a required property"),
        ('{"id":1,"tags":["a",2]}', "- tags[1]: 2 is not of type 'string'"),
        ('{"id":1,"x":2}', "- the arguments: Additional properties are not allowed ('x' was unexpected)"),
        ("[]", "- the arguments: [] is not of type 'object'"),
        ('"foo"', "- the arguments: 'foo' is not of type 'object'"),
        ('{"id":', "- Invalid JSON: "),
        ('{"id":NaN}', "- Invalid JSON: "),
    ],
)
def test_what_does_not(text: str, problem: str) -> None:
    with pytest.raises(ArgumentsError) as caught:
        SchemaArguments(SCHEMA, "far").read(text)
    assert str(caught.value).startswith(problem)


def test_a_problem_is_bounded() -> None:
    with pytest.raises(ArgumentsError) as caught:
        SchemaArguments(SCHEMA, "far").read('{"id":"%s"}' % ("long" * 1000))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (
            {"type": "objekt"},
            "tool far: the mapping of its parameters is not a valid JSON Schema .*: at type: 'objekt'",
        ),
        ({"type": "object", "x": object()}, "tool far: parameters: holds a object"),
        ({"properties": {}}, 'tool far: parameters must describe an object; add "type": "object"'),
        ({"type": "array"}, "tool far: parameters must describe an object"),
        ([], "tool far: parameters must be a JSON Schema, as a mapping"),
    ],
)
def test_what_is_no_schema(schema: Any, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        SchemaArguments(schema, "far")


def test_a_remote_reference_is_refused() -> None:
    schema = {"type": "object", "properties": {"id": {"$ref": "http://localhost:1/schema.json"}}}
    with pytest.raises(ConfigurationError, match=r"tool far: the mapping of its parameters has a \$ref to"):
        SchemaArguments(schema, "far")


def test_a_value_that_cannot_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(value: object) -> None:
        raise RecursionError("secret")

    found = SchemaArguments(SCHEMA, "far")
    monkeypatch.setattr(found, "_problems", fail)
    with pytest.raises(ArgumentsError, match=r"^- they cannot be checked: RecursionError$"):
        found.read('{"id":1}')


def test_the_schema_is_copied() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    found = SchemaArguments(schema, "far")
    schema["properties"] = {}
    assert found.schema["properties"] == {"id": {"type": "integer"}}
