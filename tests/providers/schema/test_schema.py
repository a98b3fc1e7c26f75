from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from types import MappingProxyType
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from finalturn._jsonschema.validate import problems_finder
from finalturn._providers.schema.schema import openai_strict, sendable
from finalturn._response_format import output_of

EMPTY: dict[str, Any] = {}
AROUND = r"^(?!root)\w+$"
PLAIN = r"^\w+$"
BANNED: dict[str, Any] = {"type": "string", "pattern": AROUND}


@pytest.mark.parametrize(
    "pattern", ["(?=a)", "a(?!b)", "(?<=a)b", "(?<!a)b", r"\\(?=a)", "[a](?=b)", "([(])(?=a)"]
)
def test_patterns_that_look_around_are_left_out(pattern: str) -> None:
    assert sendable({"type": "string", "pattern": pattern}) == {"type": "string"}


@pytest.mark.parametrize(
    "pattern", ["^a$", "(?:a)", "(?P<n>a)", "(?i)a", r"\(?=a", "[(?=a)]", r"[\](?=a)]", "[]( ?=]", "a(b)?=c"]
)
def test_other_patterns_stay(pattern: str) -> None:
    assert sendable({"pattern": pattern}) == {"pattern": pattern}


def test_any_mapping_will_do() -> None:
    assert sendable(MappingProxyType({"items": BANNED})) == {"items": {"type": "string"}}


def test_a_copy_is_plain_and_apart() -> None:
    output = output_of({"properties": {"a": {"enum": [1, 2]}}})
    copied = sendable(output.schema)
    assert copied == output.schema
    values: list[int] = copied["properties"]["a"]["enum"]
    values.append(3)
    copied["properties"]["b"] = {}
    assert output.schema == {"properties": {"a": {"enum": [1, 2]}}}


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"properties": {"pattern": BANNED}}, {"properties": {"pattern": {"type": "string"}}}),
        (
            {"properties": {"a": {"pattern": PLAIN}, "b": BANNED}},
            {"properties": {"a": {"pattern": PLAIN}, "b": {"type": "string"}}},
        ),
        ({"items": BANNED}, {"items": {"type": "string"}}),
        ({"prefixItems": [BANNED, True]}, {"prefixItems": [{"type": "string"}, True]}),
        ({"anyOf": [BANNED, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"$defs": {"a": BANNED}, "$ref": "#/$defs/a"},
            {"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a"},
        ),
        ({"propertyNames": BANNED}, {"propertyNames": {"type": "string"}}),
        (
            {"dependencies": {"a": ["b"], "c": BANNED}},
            {"dependencies": {"a": ["b"], "c": {"type": "string"}}},
        ),
        ({"items": [BANNED]}, {"items": [{"type": "string"}]}),
        (
            {"const": {"pattern": AROUND}, "default": [BANNED], "enum": [BANNED]},
            {"const": {"pattern": AROUND}, "default": [BANNED], "enum": [BANNED]},
        ),
        ({"description": AROUND}, {"description": AROUND}),
    ],
)
def test_patterns_are_found_where_schemas_are(schema: dict[str, Any], sent: dict[str, Any]) -> None:
    before = copy.deepcopy(schema)
    assert sendable(schema) == sent
    assert schema == before


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"not": BANNED}, EMPTY),
        ({"not": {"type": "null"}, "pattern": AROUND}, {"not": {"type": "null"}}),
        ({"not": {"$ref": "#/$defs/a"}, "$defs": {"a": BANNED}}, {"$defs": {"a": {"type": "string"}}}),
        (
            {"if": BANNED, "then": EMPTY, "else": EMPTY, "unevaluatedProperties": False, "type": "object"},
            {"type": "object"},
        ),
        ({"if": EMPTY, "then": BANNED}, {"if": EMPTY, "then": {"type": "string"}}),
        (
            {"contains": BANNED, "maxContains": 1, "minContains": 1},
            {"contains": {"type": "string"}, "minContains": 1},
        ),
        ({"oneOf": [BANNED, EMPTY]}, {"anyOf": [{"type": "string"}, EMPTY]}),
        (
            {"oneOf": [BANNED], "anyOf": [EMPTY]},
            {"anyOf": [EMPTY], "allOf": [{"anyOf": [{"type": "string"}]}]},
        ),
        (
            {
                "patternProperties": {AROUND: EMPTY, PLAIN: EMPTY},
                "additionalProperties": False,
                "unevaluatedProperties": False,
            },
            {"patternProperties": {PLAIN: EMPTY}},
        ),
        (
            {"patternProperties": {PLAIN: BANNED}, "additionalProperties": False},
            {"patternProperties": {PLAIN: {"type": "string"}}, "additionalProperties": False},
        ),
    ],
)
def test_nothing_turns_stricter(schema: dict[str, Any], sent: dict[str, Any]) -> None:
    assert sendable(schema) == sent


def within(keyword: str) -> Callable[[Any], dict[str, Any]]:
    return lambda part: {keyword: part}


def conditional(part: Any, then: Any) -> dict[str, Any]:
    return {"if": part, "then": then}


def object_of(part: Any) -> dict[str, Any]:
    return {"properties": {"a": part}, "patternProperties": {AROUND: part}, "additionalProperties": False}


def at_most_one(part: Any) -> dict[str, Any]:
    return {"contains": part, "maxContains": 1}


def parts(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=2)
    return st.one_of(
        *(st.builds(within(keyword), inner) for keyword in ("not", "items", "contains")),
        *(st.builds(within(keyword), some) for keyword in ("anyOf", "oneOf", "allOf")),
        st.builds(conditional, inner, inner),
        st.builds(object_of, inner),
        st.builds(at_most_one, inner),
    )


LEAVES: list[Any] = [
    BANNED,
    {"pattern": AROUND},
    {"pattern": PLAIN},
    {"type": "integer"},
    {"type": "null"},
    True,
]
SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.sampled_from(LEAVES), parts, max_leaves=6)
VALUES: list[Any] = [
    "root",
    "admin",
    "!",
    1,
    None,
    [],
    ["root"],
    ["a", "root", 1],
    {},
    {"a": "root"},
    {"a": "b", "c": 1},
    {"root": 1},
]


@given(schema=SCHEMAS)
def test_whatever_matches_still_matches(schema: Any) -> None:
    whole = {"allOf": [schema]}
    sent = sendable(whole)
    assert AROUND not in str(sent)
    before, after = problems_finder(whole), problems_finder(sent)
    for value in VALUES:
        assert before(value) or not after(value)


class Payment(BaseModel):
    amount: Decimal
    user: Annotated[str, Field(json_schema_extra={"pattern": AROUND})]


def test_strict_schemas_have_no_such_pattern_either() -> None:
    schema = openai_strict(output_of(Payment).schema)
    assert schema is not None
    assert schema["properties"]["user"] == {"type": "string"}
    assert "(?" not in str(schema)


@pytest.mark.parametrize(
    "schema", [{"type": "array", "items": {"type": "string"}}, {}, {"$ref": "#/nowhere"}]
)
def test_what_the_subset_cannot_say_is_none(schema: dict[str, Any]) -> None:
    assert openai_strict(schema) is None


def test_a_schema_that_is_nested_too_deeply_is_none() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    for _ in range(300):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    assert openai_strict(schema) is None
