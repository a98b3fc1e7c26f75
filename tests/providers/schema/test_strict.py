from __future__ import annotations

import copy
from typing import Any

import pytest

from finalturn._providers.schema.strict import StrictSchema
from finalturn._providers.schema.strict_limits import Inexpressible


def strict(schema: dict[str, Any]) -> dict[str, Any] | None:
    before = copy.deepcopy(schema)
    try:
        return StrictSchema(schema).rewritten()
    except Inexpressible:
        return None
    finally:
        assert schema == before


def of(schema: Any) -> Any:
    """What becomes of a property."""
    whole = strict({"type": "object", "properties": {"a": schema}, "required": ["a"]})
    return whole and whole["properties"]["a"]


A: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
STRICT_A = {**A, "additionalProperties": False}
STRING: dict[str, Any] = {"type": "string"}


def test_each_part_of_a_schema_becomes_what_strict_mode_wants() -> None:
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (STRING, STRING),
        ({**STRING, "title": "T", "default": "x", "examples": ["y"], "deprecated": True, "x-own": 1}, STRING),
        ({**STRING, "description": "D"}, {**STRING, "description": "D"}),
        ({**STRING, "description": ""}, STRING),
        ({**STRING, "minLength": 1, "maxLength": 2, "contentEncoding": "base64"}, STRING),
        ({**STRING, "format": "email", "pattern": "@"}, {**STRING, "format": "email", "pattern": "@"}),
        ({**STRING, "format": "binary"}, STRING),
        (
            {"type": "integer", "minimum": 1, "multipleOf": 2},
            {"type": "integer", "minimum": 1, "multipleOf": 2},
        ),
        ({"type": "boolean", "minimum": 1}, {"type": "boolean"}),
        ({"type": ["string"]}, STRING),
        (
            {"type": ["integer", "string", "null"], "minimum": 1, "format": "uuid"},
            {"type": ["integer", "string", "null"], "minimum": 1, "format": "uuid"},
        ),
        (
            {**A, "type": ["object", "null"], "description": "D"},
            {"anyOf": [STRICT_A, {"type": "null"}], "description": "D"},
        ),
        (
            {"type": ["array", "null"], "items": STRING},
            {"anyOf": [{"type": "array", "items": STRING}, {"type": "null"}]},
        ),
        (
            {"type": "array", "items": STRING, "uniqueItems": True, "contains": STRING, "minItems": 1},
            {"type": "array", "items": STRING, "minItems": 1},
        ),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        (
            {"enum": [1, 1.5, True, None]},
            {"type": ["integer", "number", "boolean", "null"], "enum": [1, 1.5, True, None]},
        ),
        (
            {"type": ["string", "null"], "enum": ["a", None]},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"const": 5, "title": "T"}, {"type": "integer", "const": 5}),
        ({"oneOf": [STRING, {"type": "null"}], "discriminator": {}}, {"anyOf": [STRING, {"type": "null"}]}),
        ({"allOf": [STRING], "description": "D", "default": "x"}, {**STRING, "description": "D"}),
        ({"allOf": [{**STRING, "description": "inner"}], "description": "D"}, {**STRING, "description": "D"}),
        ({"allOf": [{**STRING, "pattern": "a"}], "type": "string"}, {**STRING, "pattern": "a"}),
        ({"$ref": "#"}, {"$ref": "#"}),
        ({"$ref": "#", "title": "T", "default": None}, {"$ref": "#"}),
        ({"allOf": [{"$ref": "#"}], "description": "D"}, {"anyOf": [{"$ref": "#"}], "description": "D"}),
        ({**A, "unevaluatedProperties": False, "minProperties": 1, "maxProperties": 1}, STRICT_A),
        ({**A, "dependentRequired": {"a": ["a"]}}, STRICT_A),
    ]
    for schema, sent in cases:
        assert of(schema) == sent, schema


def test_a_part_that_strict_mode_cannot_say_is_refused() -> None:
    cases: list[Any] = [
        True,
        False,
        {},
        {"title": "anything"},
        {"properties": {"a": STRING}},
        {"type": []},
        {"type": "object"},
        {"type": "object", "additionalProperties": True},
        {"type": "array"},
        {"type": "array", "items": False},
        {"type": "array", "prefixItems": [STRING], "items": False},
        {**A, "additionalProperties": STRING},
        {**A, "patternProperties": {"^x": STRING}},
        {**A, "propertyNames": STRING},
        {**A, "unevaluatedProperties": STRING},
        {**A, "required": ["a", "b"]},
        {**A, "dependentRequired": {"a": ["b"]}},
        {**A, "dependentSchemas": {"a": {}}},
        {**A, "maxProperties": 0},
        {**A, "minProperties": 2},
        {**A, "if": {}, "then": {}},
        {**A, "anyOf": [{"required": ["a"]}]},
        {"type": "object", "properties": {"a": False}},
        {**STRING, "not": {"const": "x"}},
        {"enum": []},
        {"enum": [[1]]},
        {"enum": ["a"], "const": "a"},
        {"const": {"a": 1}},
        {"allOf": [STRING, STRING]},
        {"allOf": [{"type": "integer"}], "type": "string"},
        {"allOf": [A], "additionalProperties": False},
        {"allOf": [{**STRING, "pattern": "a"}], "pattern": "b"},
        {"allOf": [True]},
        {"anyOf": [STRING], "type": "string"},
        {"anyOf": [STRING], "oneOf": [STRING]},
        {"anyOf": [STRING, {}]},
        {"$ref": "#", "type": "object"},
        {"$ref": "#/nowhere"},
        {"$ref": "#anchor"},
        {"$ref": "https://example.org/x"},
        {"$dynamicRef": "#x"},
        {**STRING, "$id": "part"},
        {**STRING, "$anchor": "part"},
    ]
    for schema in cases:
        assert of(schema) is None, schema


@pytest.mark.parametrize(
    ("part", "expressible"),
    [
        (STRING, False),
        ({**STRING, "default": "x"}, True),
        ({"type": ["string", "null"]}, True),
        ({"type": "null"}, True),
        ({"type": "array", "items": STRING}, True),
        ({"type": "array", "items": STRING, "minItems": 1}, False),
        ({"enum": ["a", None]}, True),
        ({"enum": ["a"]}, False),
        ({"anyOf": [STRING, {"type": "null"}]}, True),
        ({"oneOf": [STRING, {"type": "integer"}]}, False),
        ({"$ref": "#/$defs/maybe"}, True),
        ({"$ref": "#/$defs/loop"}, False),
    ],
)
def test_a_property_may_be_required_when_the_model_can_still_say_nothing(
    part: Any, expressible: bool
) -> None:
    schema = {
        "type": "object",
        "properties": {"a": part},
        "$defs": {
            "maybe": {"anyOf": [STRING, {"type": "null"}]},
            "loop": {"anyOf": [STRING, {"$ref": "#/$defs/loop"}]},
        },
    }
    assert (strict(schema) is not None) == expressible


@pytest.mark.parametrize(
    "schema",
    [
        {
            **A,
            "$id": "https://example.org/a",
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "T",
        },
        {"$ref": "#/$defs/A", "$defs": {"A": A}},
        {"$ref": "#/$defs/B", "$defs": {"B": {"allOf": [{"$ref": "#/$defs/A"}]}, "A": A}},
        {"allOf": [{"$ref": "#/definitions/A"}], "definitions": {"A": A}},
        {"allOf": [A], "type": "object"},
    ],
)
def test_roots(schema: dict[str, Any]) -> None:
    assert strict(schema) == STRICT_A


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"$ref": "#/$defs/a", "required": ["b"], "$defs": {"a": A}},
        {"anyOf": [A]},
        {**A, "type": ["object", "null"]},
        {"allOf": [A, A]},
    ],
)
def test_roots_that_cannot_be_said(schema: dict[str, Any]) -> None:
    assert strict(schema) is None


def test_definitions_are_named_apart_and_only_those_that_are_used() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/$defs/x~1y"},
            "b": {"$ref": "#/definitions/x~1y"},
            "c": {"$ref": "#/properties/d"},
            "d": STRING,
            "e": {"$ref": "#/$defs/"},
        },
        "required": list("abcde"),
        "$defs": {"x/y": STRING, "unused": {}, "": {"type": "null"}},
        "definitions": {"x/y": {"type": "integer"}},
    }
    sent = strict(schema)
    assert sent is not None
    assert [sent["properties"][name].get("$ref") for name in "abcde"] == [
        "#/$defs/x_1y",
        "#/$defs/x_1y_",
        "#/$defs/d",
        None,
        "#/$defs/part",
    ]
    assert sent["$defs"] == {
        "x_1y": STRING,
        "x_1y_": {"type": "integer"},
        "d": STRING,
        "part": {"type": "null"},
    }


def test_a_schema_that_is_too_large_cannot_be_said() -> None:
    values = [f"value {number}" for number in range(1001)]
    assert of({"enum": values[:1000]}) is not None
    assert of({"enum": values}) is None
