"""What may be shown of a value that has not come whole."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.output.partial import NOTHING, PartialSchema, extends

TEXT = {"type": "string"}
WHOLE_NUMBER = {"type": "integer"}
ITEM = {"type": "object", "properties": {"name": TEXT, "count": WHOLE_NUMBER}, "required": ["name", "count"]}


def an_object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def of_kind(kind: str, **properties: Any) -> dict[str, Any]:
    return {**an_object(kind={"const": kind}, **properties), "required": ["kind", *properties]}


@pytest.mark.parametrize(
    ("schema", "value", "growing", "shown"),
    [  # pyright: ignore[reportUnknownArgumentType]
        # Types, and what is not declared.
        (an_object(a=TEXT), {"a": "x", "b": 1}, 1, {"a": "x"}),
        (an_object(a=TEXT, b=TEXT), {"a": 1, "b": "x"}, 1, {"b": "x"}),
        (an_object(a=WHOLE_NUMBER), {"a": 1}, 0, {"a": 1}),
        (an_object(a=WHOLE_NUMBER), {"a": 1.0}, 0, {"a": 1.0}),
        (an_object(a=WHOLE_NUMBER), {"a": 1.5}, 0, {}),
        (an_object(a=WHOLE_NUMBER), {"a": True}, 0, {}),
        (an_object(a={"type": ["string", "null"]}), {"a": None}, 0, {"a": None}),
        (an_object(a={}), {"a": {"any": [1]}}, 0, {"a": {"any": [1]}}),
        (an_object(a=True), {"a": 1}, 0, {"a": 1}),
        (an_object(a=False), {"a": 1}, 0, {}),
        (TEXT, {"a": 1}, 1, NOTHING),
        (an_object(a={**TEXT, "writeOnly": True}, b=TEXT), {"a": "x", "b": "y"}, 0, {"b": "y"}),
        (an_object(a={**TEXT, "writeOnly": False}), {"a": "x"}, 0, {"a": "x"}),
        # Strings that grow.
        (an_object(a=TEXT), {"a": "x"}, 2, {"a": "x"}),
        (an_object(a=TEXT), {"a": ""}, 2, NOTHING),
        (an_object(a=TEXT), {"a": ""}, 1, {"a": ""}),
        (an_object(a={**TEXT, "format": "date"}), {"a": "2026"}, 2, NOTHING),
        (an_object(a={**TEXT, "format": "date"}), {"a": "2026"}, 1, {"a": "2026"}),
        (an_object(a={**TEXT, "pattern": "x+"}), {"a": "x"}, 2, NOTHING),
        (an_object(a={"enum": ["x", "xy"]}), {"a": "x"}, 2, NOTHING),
        (an_object(a={"enum": ["x", "xy"]}), {"a": "x"}, 1, {"a": "x"}),
        (an_object(a={"enum": ["x", "xy"]}), {"a": "z"}, 1, NOTHING),
        (an_object(a={"const": 1}), {"a": 1.0}, 0, {"a": 1.0}),
        (an_object(a={"const": 1}), {"a": True}, 0, {}),
        (an_object(a={"enum": [{"b": [1]}]}), {"a": {"b": [1]}}, 0, {"a": {"b": [1]}}),
        (an_object(a={"enum": [{"b": [1]}]}), {"a": {"b": [1, 2]}}, 0, {}),
        (an_object(a={"enum": [{"b": [1]}]}), {"a": {"b": [1]}}, 2, NOTHING),
        # Objects and arrays that grow are not known to be empty.
        (an_object(a=TEXT), {}, 1, NOTHING),
        (an_object(a=TEXT), {}, 0, {}),
        (an_object(a={"type": "array"}), {"a": []}, 2, NOTHING),
        (an_object(a={"type": "array"}), {"a": []}, 1, {"a": []}),
        # Arrays: what stands behind an item that is left out is left out.
        ({"type": "array", "items": TEXT}, ["a", "b", 3, "d"], 0, ["a", "b"]),
        ({"type": "array", "items": TEXT}, ["a", "b"], 2, ["a", "b"]),
        ({"type": "array", "items": ITEM}, [{"name": "a", "count": "x"}, {"name": "b"}], 1, [{"name": "a"}]),
        ({"type": "array", "items": ITEM}, [{"name": "a", "count": 1}, {}], 2, [{"name": "a", "count": 1}]),
        ({"prefixItems": [TEXT, WHOLE_NUMBER], "items": False}, ["a", 1, 2], 0, ["a", 1]),
        ({"prefixItems": [TEXT], "items": WHOLE_NUMBER}, ["a", 1, 2, "x"], 0, ["a", 1, 2]),
        ({"prefixItems": [TEXT]}, ["a", None], 0, ["a", None]),
        # Other keys.
        ({"type": "object", "additionalProperties": WHOLE_NUMBER}, {"a": 1, "b": "x"}, 1, {"a": 1}),
        ({"type": "object", "additionalProperties": True}, {"a": 1}, 1, {"a": 1}),
        ({"type": "object"}, {"a": {"b": 1}}, 1, {"a": {"b": 1}}),
        ({**an_object(a=TEXT), "additionalProperties": False}, {"a": "x", "b": 1}, 1, {"a": "x"}),
        ({**an_object(a=TEXT), "additionalProperties": TEXT}, {"a": "x", "b": "y"}, 1, {"a": "x", "b": "y"}),
        ({"patternProperties": {"^n": WHOLE_NUMBER}}, {"n1": 1, "n2": "x", "m": 1}, 1, {"n1": 1}),
        ({"patternProperties": {r"\p{L}": TEXT}}, {"a": "x"}, 0, {}),
        # References and conjunctions.
        ({"$ref": "#/$defs/item", "$defs": {"item": ITEM}}, {"name": "a"}, 2, {"name": "a"}),
        ({"$ref": "#/$defs/none"}, {"name": "a"}, 1, NOTHING),
        (an_object(a={"$ref": "other.json"}, b=TEXT), {"a": "x", "b": "y"}, 1, {"b": "y"}),
        ({"allOf": [an_object(a=TEXT), an_object(b=TEXT)]}, {"a": "x", "c": 1}, 1, {"a": "x"}),
        ({"allOf": [an_object(a=TEXT), an_object(a=WHOLE_NUMBER)]}, {"a": "x"}, 0, {}),
        ({"$dynamicRef": "#/$defs/item", "$defs": {"item": ITEM}}, {"name": "a"}, 1, {"name": "a"}),
        ({"$id": "urn:a", **an_object(a=TEXT)}, {"a": "x"}, 1, {"a": "x"}),
        (an_object(a={"$id": "urn:b", "type": "string"}, b=TEXT), {"a": "x", "b": "y"}, 1, {"b": "y"}),
    ],
)  # fmt: skip
def test_what_is_shown_of_a_value(schema: Any, value: Any, growing: int, shown: Any) -> None:
    assert PartialSchema(schema).shown(value, growing) == shown


CARS = {"anyOf": [of_kind("car", wheels=WHOLE_NUMBER, name=TEXT), of_kind("boat", name=TEXT)]}
UNTOLD = {"anyOf": [an_object(a=TEXT, b=TEXT), {**an_object(b=TEXT, c=TEXT), "required": ["c"]}]}


@pytest.mark.parametrize(
    ("schema", "value", "growing", "shown"),
    [  # pyright: ignore[reportUnknownArgumentType]
        (an_object(a={"anyOf": [TEXT, {"type": "null"}]}), {"a": "x"}, 2, {"a": "x"}),
        (an_object(a={"anyOf": [TEXT, {"type": "null"}]}), {"a": None}, 0, {"a": None}),
        (an_object(a={"oneOf": [TEXT, {"const": "xy"}]}), {"a": "x"}, 2, NOTHING),
        (an_object(a={"oneOf": [TEXT, {"const": "xy"}]}), {"a": "x"}, 1, {"a": "x"}),
        (an_object(a={"oneOf": [TEXT, WHOLE_NUMBER]}), {"a": True}, 0, {}),
        (an_object(a={"anyOf": [False, TEXT]}), {"a": "x"}, 2, {"a": "x"}),
        (an_object(a={"anyOf": []}), {"a": "x"}, 1, NOTHING),
        (an_object(a={"anyOf": [{"$ref": "other.json"}, TEXT]}), {"a": "x"}, 1, NOTHING),
        # A key tells which one it is.
        (CARS, {"kind": "bo", "name": "x"}, 2, {"name": "x"}),
        (CARS, {"kind": "boat", "name": "x", "wheels": 4}, 1, {"kind": "boat", "name": "x"}),
        (CARS, {"name": "x", "wheels": 4}, 1, {"name": "x"}),
        (CARS, {"name": "x", "wheels": 4, "kind": "car"}, 1, {"name": "x", "wheels": 4, "kind": "car"}),
        # What none of them takes is of the right types all the same.
        (CARS, {"kind": "train", "name": "x"}, 1, {"name": "x"}),
        # Which one it is may show at the end.
        (UNTOLD, {"a": "x", "b": "y"}, 1, {"b": "y"}),
        (UNTOLD, {"a": "x", "b": "y"}, 0, {"a": "x", "b": "y"}),
        # Arrays of choices.
        ({"items": {"anyOf": [TEXT, WHOLE_NUMBER]}}, ["a", 1, None, 2], 0, ["a", 1]),
        ({"anyOf": [{"items": TEXT}, {"items": {}}]}, ["a", "b", 1], 1, ["a", "b", 1]),
        ({"anyOf": [{"items": {"enum": ["ab"]}}, {"items": TEXT}]}, ["ab", "a"], 2, ["ab"]),
        # Choices within choices, and beside other keywords.
        ({**an_object(a=TEXT), "anyOf": [an_object(b=TEXT), {}]}, {"a": "x", "b": ""}, 1, {"a": "x"}),
        ({"anyOf": [{"anyOf": [TEXT, {"type": "null"}]}, WHOLE_NUMBER]}, "x", 1, "x"),
        ({"anyOf": [TEXT, {"type": "null"}], "oneOf": [TEXT, WHOLE_NUMBER]}, "x", 1, "x"),
        ({"anyOf": [TEXT, {"type": "null"}], "oneOf": [{"type": "null"}, WHOLE_NUMBER]}, "x", 1, NOTHING),
    ],
)  # fmt: skip
def test_of_a_choice_what_the_schemas_agree_on_is_shown_that_may_still_match(
    schema: Any, value: Any, growing: int, shown: Any
) -> None:
    assert PartialSchema(schema).shown(value, growing) == shown


def test_very_many_choices_at_once_wait() -> None:
    parts = [{"anyOf": [TEXT] * 9}, {"anyOf": [TEXT] * 9}]
    assert PartialSchema({"allOf": parts}).shown("x", 0) is NOTHING
    assert PartialSchema({"anyOf": [TEXT] * 99}).shown("x", 0) == "x"


def test_a_schema_that_refers_to_itself_is_followed_as_deep_as_the_value_goes() -> None:
    tree = {"$ref": "#/$defs/tree", "$defs": {"tree": an_object(name=TEXT, below={"items": {"$ref": "#"}})}}
    value: Any = {"name": "leaf"}
    for _ in range(40):
        value = {"name": "x", "below": [value]}
    assert PartialSchema(tree).shown(value, 82) == value


def test_alternatives_that_are_all_alike_are_looked_into_once_for_each_value() -> None:
    class Counted(dict[str, Any]):
        reads = 0

        def items(self) -> Any:
            Counted.reads += 1
            return super().items()

    same = [{**an_object(below={"$ref": "#"}), "title": str(number)} for number in range(4)]
    value = Counted(below="leaf")
    for _ in range(20):
        value = Counted(below=value)
    PartialSchema({"anyOf": same}).shown(value, 0)
    # Once for each way to come to it: one of four references, to one of four alternatives.
    assert Counted.reads <= 4 * 4 * 21


def test_what_is_shown_is_a_copy() -> None:
    value = {"a": {"b": [1]}}
    shown = PartialSchema({}).shown(value, 1)
    assert shown == value
    shown["a"]["b"].append(2)
    assert value == {"a": {"b": [1]}}


@pytest.mark.parametrize(
    ("old", "new", "does"),
    [
        ("a", "ab", True),
        ("ab", "a", False),
        (1, 1, True),
        (1, 12, False),
        (1, True, False),
        (None, None, True),
        ({}, {"a": 1}, True),
        ({"a": 1}, {}, False),
        ({"a": "x"}, {"a": "xy", "b": 1}, True),
        ({"a": "x"}, {"a": "y"}, False),
        ([], [1], True),
        ([1, "a"], [1, "ab", 2], True),
        ([1, 2], [1], False),
        ([1], {"a": 1}, False),
    ],
)
def test_one_value_extends_another(old: Any, new: Any, does: bool) -> None:
    assert extends(old, new) is does
