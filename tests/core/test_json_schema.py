from __future__ import annotations

import enum
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.json_schema import SchemaValueError, json_form, sendable_schema

INF = math.inf


LEFT_OUT: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"type": "number", "default": INF}, {"type": "number"}),
    ({"type": "number", "maximum": INF, "minimum": 0}, {"type": "number", "minimum": 0}),
    ({"examples": [INF, 1.5, {1}, b"\xff"]}, {"examples": [1.5]}),
    ({"examples": [INF]}, {}),
    ({"enum": [INF, 1]}, {"enum": [1]}),
    ({"default": {"a": [INF]}}, {}),
    ({"default": Decimal("NaN"), "x-note": object()}, {}),
    ({"items": {"default": INF}}, {"items": {}}),
    ({"anyOf": [{"default": b"x"}, True]}, {"anyOf": [{}, True]}),
    ({"properties": {"default": {"default": INF}}}, {"properties": {"default": {}}}),
    ({"$defs": {"A": {"not": {"minimum": -INF}}}}, {"$defs": {"A": {"not": {}}}}),
]


@pytest.mark.parametrize(("schema", "sent"), LEFT_OUT)
def test_what_json_cannot_say_is_left_out(schema: dict[str, Any], sent: dict[str, Any]) -> None:
    assert sendable_schema(schema) == sent


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"const": INF}, "its const holds a number that JSON does not have"),
        ({"enum": [INF]}, "JSON can say none of its values"),
        ({"properties": {"a": {"properties": {"b": {"const": {1}}}}}}, "field 'a.b': its const holds a set"),
        (
            {"properties": {"a": {"items": {"enum": [b"x"]}}}},
            r"field 'a\[\]': JSON can say none of its values",
        ),
        ({"$defs": {"Line": {"properties": {"sum": {"const": INF}}}}}, "field 'Line.sum': its const"),
        ({"properties": {"a": {"anyOf": [{1}]}}}, "field 'a': holds a set"),
        ({"properties": {7: {}}}, "has a key of type int"),
        ({7: {}}, "has a key of type int"),
    ],
)
def test_what_means_something_else_without_it_is_refused_by_its_field(
    schema: dict[str, Any], message: str
) -> None:
    with pytest.raises(SchemaValueError, match=message):
        sendable_schema(schema)


def test_a_schema_in_itself_is_refused() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    with pytest.raises(SchemaValueError, match="nested"):
        sendable_schema(schema)


class Word(enum.StrEnum):
    ONE = "one"


def test_a_value_in_json_types() -> None:
    assert json_form((Word.ONE, 1, None)) == ["one", 1, None]


_NO_JSON = st.sampled_from([INF, -INF, math.nan, b"\xff", {1}, Decimal("NaN"), object()])
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | _NO_JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
Schema = dict[str, Any]


def larger(part: st.SearchStrategy[Schema]) -> st.SearchStrategy[Schema]:
    inner: dict[str, st.SearchStrategy[Any]] = {
        "properties": st.dictionaries(st.text(), part, max_size=3),
        "items": part,
        "anyOf": st.lists(part, max_size=3),
        "default": _VALUES,
    }
    return st.fixed_dictionaries({}, optional=inner)


_ANNOTATED: st.SearchStrategy[Schema] = st.dictionaries(
    st.sampled_from(["default", "examples", "maximum", "x-any", "title"]), _VALUES
)
_SCHEMAS = st.recursive(_ANNOTATED, larger, max_leaves=6)


@given(_SCHEMAS)
def test_whatever_stands_in_its_annotations_a_schema_can_be_sent(schema: dict[str, Any]) -> None:
    sent = sendable_schema(schema)
    assert json_text.decode(json_text.encode(sent)) == sent
    assert sendable_schema(sent) == sent
