from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel

from finalturn._response_format import output_of
from finalturn._serve.openapi.parsed import PREFIX, as_components
from tests.serve._valid import check_schema, judge_of


class Part(BaseModel):
    number: str


class Node(BaseModel):
    part: Part
    next: Node | None = None


class Order(BaseModel):
    first: Node


def judge(schema: Any, name: str = "Answer", taken: tuple[str, ...] = ()) -> Any:
    """What validates by the moved schema, in a document around it."""
    reference, components = as_components(schema, name, taken)
    for one in components.values():
        check_schema(one)
    document = {"$ref": reference, "components": {"schemas": components}}
    return judge_of(document)


NODE = {"part": {"number": "A-1"}, "next": {"part": {"number": "A-2"}}}

CASES: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "plain": ({"type": "integer"}, [1], ["a"]),
    "nested": (output_of(Order).schema, [{"first": NODE}], [{"first": {"part": {"number": 1}}}, {}]),
    "recursive root": (output_of(Node).schema, [NODE], [{"part": {}}, {**NODE, "next": {}}]),
    "itself": (
        {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["n"]},
        [{"n": 1, "next": {"n": 2}}],
        [{"n": 1, "next": {}}],
    ),
    "a place inside": (
        {"properties": {"a/b %": {"type": "string"}, "c": {"$ref": "#/properties/a~1b%20%25"}}},
        [{"c": "x"}],
        [{"c": 1}],
    ),
    "a place in a definition": (
        {
            "$defs": {"one": {"properties": {"a": {"type": "null"}}}},
            "items": {"$ref": "#/$defs/one/properties/a"},
        },
        [[None]],
        [[1]],
    ),
    "an anchor": ({"$defs": {"one": {"$anchor": "here", "type": "null"}}, "$ref": "#here"}, [None], [1]),
    "a dynamic anchor": (
        {"$dynamicAnchor": "node", "type": "array", "items": {"$dynamicRef": "#node"}},
        [[[], [[]]]],
        [[1]],
    ),
    "an id": (
        {
            "$id": "https://example.com/root",
            "$defs": {
                "one": {"$id": "one", "$defs": {"two": {"type": "null"}}, "items": {"$ref": "#/$defs/two"}}
            },
            "$ref": "one",
        },
        [[None]],
        [[1]],
    ),
    "true and false": (
        {
            "$defs": {"yes": True, "no": False},
            "properties": {"a": {"$ref": "#/$defs/yes"}, "b": {"$ref": "#/$defs/no"}},
        },
        [{"a": 1}],
        [{"b": 1}],
    ),
    "old definitions": ({"definitions": {"a": {"type": "null"}}, "$ref": "#/definitions/a"}, [None], [1]),
    "beside a reference": (
        {"$defs": {"no": False, "a": {"type": "string"}}, "not": {"const": "x"}, "$ref": "#/$defs/a"},
        ["y"],
        ["x", 1],
    ),
    "data that looks like a reference": (
        {"properties": {"$ref": {"const": {"$ref": "#/$defs/nothing"}}, "enum": {"type": "null"}}},
        [{"$ref": {"$ref": "#/$defs/nothing"}, "enum": None}],
        [{"$ref": 1}, {"enum": 1}],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_moved_schema_judges_as_the_schema_does(case: str) -> None:
    schema, good, bad = CASES[case]
    own, other = judge_of(schema), judge(schema)
    for value in good:
        assert own.is_valid(value) and other.is_valid(value)
    for value in bad:
        assert not own.is_valid(value) and not other.is_valid(value)


def test_what_is_named_in_it_keeps_its_name() -> None:
    reference, components = as_components(output_of(Order).schema, "Order", ())
    assert (reference, list(components)) == (PREFIX + "Order", ["Order", "Node", "Part"])


def test_a_root_that_is_only_a_reference_is_what_it_refers_to() -> None:
    reference, components = as_components(output_of(Node).schema, "Node", ())
    assert (reference, set(components)) == (PREFIX + "Node", {"Node", "Part"})


def test_no_name_is_taken_twice() -> None:
    taken = ("Order", "Part", "ParsedPart")
    _, components = as_components(output_of(Order).schema, "Order", taken)
    assert set(components) == {"ParsedOrder", "Node", "ParsedPart2"}
    assert judge(output_of(Order).schema, "Order", taken).is_valid({"first": NODE})


def test_a_name_may_hold_anything() -> None:
    schema = {"$defs": {"a b": {"type": "null"}, "a/b": {"type": "string"}}, "$ref": "#/$defs/a~1b"}
    _, components = as_components(schema, "Antwort für Ü", ())
    assert set(components) == {"a_b", "Parseda_b"}
    assert judge(schema).is_valid("x") and not judge(schema).is_valid(None)


def test_the_schema_stays_as_it_was() -> None:
    schema = {"$id": "https://example.com/", "$defs": {"a": {"type": "null"}}, "$ref": "#/$defs/a"}
    before = json.dumps(schema)
    as_components(schema, "Answer", ())
    assert json.dumps(schema) == before


def test_the_result_is_plain_json() -> None:
    _, components = as_components(output_of(Order).schema, "Order", ())
    assert json.loads(json.dumps(components)) == components
