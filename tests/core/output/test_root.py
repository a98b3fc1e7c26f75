from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.output import resolve_reference
from finalturn._core.output.kinds import KINDS
from finalturn._core.output.root import NOTHING, both, either, names_in, root_of

OBJECT = {"type": "object"}
EMPTY: dict[str, Any] = {}


@pytest.mark.parametrize(
    ("schema", "kinds"),
    [
        (EMPTY, KINDS),
        ({"type": "object"}, {"object"}),
        ({"type": "integer"}, {"number"}),
        ({"type": ["integer", "number", "null"]}, {"number", "null"}),
        ({"const": None}, {"null"}),
        ({"const": False}, {"boolean"}),
        ({"enum": [1, "a", [2], EMPTY, 1.5, True]}, KINDS - {"null"}),
        ({"type": "string", "enum": ["a", 1]}, {"string"}),
        ({"anyOf": [OBJECT, {"type": "null"}]}, {"object", "null"}),
        ({"oneOf": [OBJECT, {"type": "array"}]}, {"object", "array"}),
        ({"allOf": [{"type": ["object", "array"]}, {"type": ["array", "null"]}]}, {"array"}),
        ({"type": "object", "anyOf": [EMPTY, {"type": "array"}]}, {"object"}),
        ({"anyOf": [True, OBJECT]}, KINDS),
        ({"anyOf": [False, OBJECT]}, {"object"}),
        ({"anyOf": list[Any]()}, set[str]()),
        ({"$ref": "#/$defs/a", "$defs": {"a": OBJECT}}, {"object"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "array"}}}, {"array"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, OBJECT]}}}, KINDS),
        ({"$ref": "#"}, KINDS),
        ({"$ref": "#/nowhere"}, KINDS),
        ({"$ref": "#anchor"}, KINDS),
        ({"properties": {"a": EMPTY}}, KINDS),
    ],
)
def test_kinds(schema: dict[str, Any], kinds: set[str]) -> None:
    assert root_of(schema).kinds == kinds


A: dict[str, Any] = {"type": "object", "properties": {"a": {}, "x": {}}, "required": ["a"]}
B: dict[str, Any] = {"type": "object", "properties": {"b": {}, "x": {}}, "required": ["b", "x"]}


@pytest.mark.parametrize(
    ("schema", "declared", "required"),
    [
        (A, "ax", "a"),
        ({"type": "object", "required": ["a"]}, "a", "a"),
        ({"type": "object", "properties": {"a": EMPTY, "never": False}}, "a", ""),
        ({"anyOf": [A, B]}, "abx", ""),
        ({"oneOf": [A, {**B, "required": ["a", "b"]}]}, "abx", "a"),
        ({"allOf": [A, B]}, "abx", "abx"),
        ({"anyOf": [A, {"type": "null"}]}, "ax", "a"),
        ({"anyOf": [{"type": "null"}, {"type": "array"}, A]}, "ax", "a"),
        ({**A, "anyOf": [B]}, "abx", "abx"),
        ({"$ref": "#/$defs/A", "required": ["x"], "$defs": {"A": A}}, "ax", "ax"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {**A, "properties": {"a": {"$ref": "#/$defs/A"}}}}}, "a", "a"),
        ({"type": "array", "properties": {"a": EMPTY}, "required": ["a"]}, "", ""),
        ({"type": "object", "additionalProperties": A}, "", ""),
    ],
)
def test_keys(schema: dict[str, Any], declared: str, required: str) -> None:
    root = root_of(schema)
    assert root.declared == set(declared)
    assert root.required == set(required)


def test_a_side_without_objects_says_nothing_about_keys() -> None:
    a = root_of(A)
    assert either(NOTHING, a) == either(a, NOTHING) == a
    assert both(NOTHING, a).kinds == set()


def test_names_at_any_depth() -> None:
    schema: dict[str, Any] = {
        "properties": {"a": {"items": [{"properties": {"b": {}}}]}, "properties": {"properties": {"c": {}}}},
        "$defs": {"D": {"properties": {"d": {}}}, "E": {"properties": "no schema"}},
        "default": "e",
    }
    assert names_in(schema) == {"a", "b", "c", "d", "properties"}


DOCUMENT: dict[str, Any] = {"$defs": {"a/b": 1, "m~n": 2, "p q": 3}, "allOf": [{"type": "null"}], "n": 5}


@pytest.mark.parametrize(
    ("ref", "target"),
    [
        ("#", DOCUMENT),
        ("#/$defs/a~1b", 1),
        ("#/$defs/m~0n", 2),
        ("#/$defs/p%20q", 3),
        ("#/allOf/0/type", "null"),
    ],
)
def test_references(ref: str, target: object) -> None:
    assert resolve_reference(DOCUMENT, ref) == target


@pytest.mark.parametrize(
    "ref",
    ["", "other.json", "https://example.org/x", "#anchor", "#/$defs/none", "#/allOf/1", "#/allOf/x", "#/n/x"],
)
def test_references_to_nothing(ref: str) -> None:
    with pytest.raises(LookupError):
        resolve_reference(DOCUMENT, ref)
