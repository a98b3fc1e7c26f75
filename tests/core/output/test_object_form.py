from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from finalturn._core import json_text
from finalturn._core.output.object_form import member, object_form

OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def test_a_plain_object_stays_the_very_same() -> None:
    assert object_form(OBJECT) == (OBJECT, "")
    assert object_form(OBJECT).schema is OBJECT


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/A", "$defs": {"A": OBJECT}},
        {"$ref": "#/$defs/B", "$defs": {"A": OBJECT, "B": {"$ref": "#/$defs/A"}}},
        {"$ref": "#/definitions/A", "description": "d", "definitions": {"A": OBJECT}},
        {
            "$ref": "#/$defs/A",
            "$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}},
        },
    ],
)
def test_a_root_that_refers_to_an_object_becomes_it(schema: dict[str, Any]) -> None:
    form = object_form(schema)
    assert form.key == ""
    assert form.schema["type"] == "object"
    assert "$ref" not in form.schema
    assert form.schema.keys() >= schema.keys() - {"$ref"}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "array", "items": {"type": "integer"}},
        {"type": "string"},
        {"type": ["object", "null"]},
        {"enum": ["a", 1]},
        {"const": None},
        {"anyOf": [OBJECT, {"type": "null"}]},
        {"type": "object", "oneOf": [OBJECT]},
        {"allOf": [OBJECT]},
        {"type": "object", "not": {"required": ["b"]}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}},
        {"$ref": "#/$defs/A", "minProperties": 1, "$defs": {"A": OBJECT}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"$ref": "#"},
        {"$ref": "#/$defs/Gone"},
        {"$dynamicRef": "#x"},
    ],
)
def test_any_other_root_is_the_one_property_of_an_object(schema: dict[str, Any]) -> None:
    form = object_form(schema)
    assert form.key == "answer"
    assert form.schema["type"] == "object"
    assert list(form.schema["properties"]) == form.schema["required"] == ["answer"]
    assert form.schema["additionalProperties"] is False
    assert form.schema.keys() <= {
        "type", "properties", "required", "additionalProperties", "$defs", "definitions",
    }  # fmt: skip


def test_the_key_is_none_that_the_schema_declares() -> None:
    part: dict[str, Any] = {"type": "object", "properties": {"answer": {}, "answer_": {}}}
    assert object_form({"type": "array", "items": part}).key == "answer__"


def test_references_lead_to_the_same_places() -> None:
    schema = {
        "$id": "https://example.org/tree",
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "items": {"anyOf": [{"$ref": "#"}, {"$ref": "https://example.org/tree#/$defs/Leaf"}]},
        "prefixItems": [{"$ref": "#/items/anyOf/1"}],
        "contains": {"enum": [{"$ref": "#"}]},
        "$defs": {"Leaf": {"type": "integer"}},
    }
    inner = object_form(schema).schema["properties"]["answer"]
    assert inner == {
        "type": "array",
        "items": {"anyOf": [{"$ref": "#/properties/answer"}, {"$ref": "#/$defs/Leaf"}]},
        "prefixItems": [{"$ref": "#/properties/answer/items/anyOf/1"}],
        "contains": {"enum": [{"$ref": "#"}]},
    }


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ('{"answer": [1]}', "[1]"),
        (' {\n "answer" :\t{"answer": 1 } } ', '{"answer": 1 }'),
        ('{"answer": "}"}', '"}"'),
        ('{"other": 1}', None),
        ("[1]", None),
        ('{"answer": 1, "b": 2}', '1, "b": 2'),
    ],
)
def test_the_text_of_a_member_is_as_written(text: str, inner: str | None) -> None:
    assert member(text, "answer") == inner


Schema = dict[str, Any]


def array(part: Schema) -> Schema:
    return {"type": "array", "items": part}


def union(parts: list[Schema]) -> Schema:
    return {"anyOf": parts}


def record(parts: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": parts, "required": list(parts)}


def document(part: Schema) -> Schema:
    return {**part, "$defs": {"D": record({"a": {"type": "integer"}})}}


def larger(part: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    keys = st.sampled_from(["a", "answer", "b"])
    return (
        st.builds(array, part)
        | st.builds(union, st.lists(part, min_size=1, max_size=3))
        | st.builds(record, st.dictionaries(keys, part, max_size=3))
    )


_LEAVES: list[Schema] = [
    {"type": "integer"},
    {"type": "string"},
    {"const": 1},
    {"enum": ["a", "b"]},
    {"$ref": "#/$defs/D"},
    array({"$ref": "#"}),
    {},
]
SCHEMAS = st.builds(document, st.recursive(st.sampled_from(_LEAVES), larger, max_leaves=5))
VALUES = st.recursive(
    st.sampled_from([None, True, 1, 1.5, "a", "}", "```", math.pi]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "answer", "b"]), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(SCHEMAS, VALUES)
def test_the_same_values_match(schema: dict[str, Any], value: Any) -> None:
    form = object_form(schema)
    assert form.schema["type"] == "object"
    sent = {form.key: value} if form.key else value
    before: Any = Draft202012Validator(schema)
    after: Any = Draft202012Validator(form.schema)
    assert before.is_valid(value) == after.is_valid(sent)
    if form.key:
        inner = member(json_text.encode(sent).decode(), form.key)
        assert inner is not None
        assert json_text.decode(inner) == value
