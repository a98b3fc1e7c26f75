"""Pieces of schemas in Gemini's subset."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._providers.gemini.schema_parts import (
    description_of,
    intersect,
    joined,
    kinds_of,
    limits,
    listed,
)

STRING = {"type": "string"}


@pytest.mark.parametrize(
    ("given", "kinds"),
    [("string", ["string"]), (["string", "null"], ["string", "null"]), (None, []), ("any", []), ([7], [])],
)
def test_types(given: Any, kinds: list[str]) -> None:
    assert kinds_of({"type": given}) == kinds


class TestValues:
    @pytest.mark.parametrize(
        ("node", "schema"),
        [
            ({}, None),
            ({"enum": []}, None),
            ({"const": "a"}, STRING | {"enum": ["a"]}),
            ({"enum": ["a", "b"]}, STRING | {"enum": ["a", "b"]}),
            ({"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
            ({"enum": [1, 2.5]}, {"type": "number", "enum": [1, 2.5]}),
            ({"const": True}, {"type": "boolean"}),
            ({"const": None}, {"type": "null"}),
            ({"enum": ["a", None]}, {"anyOf": [STRING | {"enum": ["a"]}, {"type": "null"}]}),
            ({"enum": ["a", ""]}, STRING),
            ({"enum": [{"x": 1}]}, {"type": "object"}),
            ({"const": [1]}, {"type": "array"}),
            ({"type": "string", "enum": ["a", None, 1]}, STRING | {"enum": ["a"]}),
            ({"type": "number", "const": 1}, {"type": "integer", "enum": [1]}),
            ({"type": "string", "const": 1}, STRING),
        ],
    )
    def test_each(self, node: dict[str, Any], schema: dict[str, Any] | None) -> None:
        assert listed(node, kinds_of(node)) == schema


def test_limits_are_those_of_the_type() -> None:
    node = {"minimum": 1, "maximum": 2, "minItems": 3, "maxItems": 4, "format": "date", "minLength": 5}
    assert limits(node, ["integer"]) == {"minimum": 1, "maximum": 2}
    assert limits(node, ["array"]) == {"minItems": 3, "maxItems": 4}
    assert limits(node, ["string", "null"]) == {"format": "date"}
    assert limits(node, ["null"]) == {}
    assert limits(node, []) == {key: value for key, value in node.items() if key != "minLength"}


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ({}, None),
        ({"description": "d"}, "d"),
        ({"description": 7}, None),
        ({"description": "d", "pattern": "^é", "uniqueItems": True}, 'd (pattern: "^é", uniqueItems: true)'),
        ({"exclusiveMinimum": 0, "multipleOf": 2}, "multipleOf: 2, exclusiveMinimum: 0"),
        ({"uniqueItems": False, "format": "date"}, None),
        ({"const": False}, "const: false"),
    ],
)
def test_what_cannot_be_said_is_told(node: dict[str, Any], words: str | None) -> None:
    assert description_of(node) == ({} if words is None else {"description": words})


def test_nothing_stands_beside_a_union() -> None:
    union: list[dict[str, Any]] = [STRING, {"$ref": "#/$defs/a"}, {"enum": [1]}]
    assert joined({}, union) == {"anyOf": union}
    assert joined({"type": "integer"}, union) == {"anyOf": [*union[:2], {"type": "integer", "enum": [1]}]}
    assert joined({"type": "integer", "minimum": 1}, union) == {"type": "integer", "minimum": 1}
    assert joined(STRING, []) == STRING


class TestBoth:
    REF = {"$ref": "#/$defs/a"}  # noqa: RUF012
    NOTE = {"description": "d"}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("one", "two", "out"),
        [
            ({}, STRING, STRING),
            (STRING, {}, STRING),
            (NOTE, STRING | {"description": "e"}, STRING | NOTE),
            (STRING | NOTE, {"description": "e"}, STRING | NOTE),
            (NOTE, REF, REF),
            (REF, NOTE, REF),
            (STRING, REF, STRING),
            (REF, STRING, REF),
            (STRING, {"anyOf": [STRING]}, STRING),
            (STRING, {"minItems": 1}, {"minItems": 1, **STRING}),
            (
                {"properties": {"a": STRING}, "required": ["a"]},
                {"properties": {"a": {}, "b": {}}, "required": ["b", "a"]},
                {"properties": {"a": STRING, "b": {}}, "required": ["a", "b"]},
            ),
        ],
    )
    def test_each(self, one: dict[str, Any], two: dict[str, Any], out: dict[str, Any]) -> None:
        assert intersect(one, two) == out
