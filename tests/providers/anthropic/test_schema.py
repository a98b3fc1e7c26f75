"""Schemas in the subset that the vendor enforces."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from finalturn._providers.anthropic.schema import MOST_OPTIONAL, MOST_UNIONS, enforceable


def closed(properties: dict[str, Any], *required: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **fields,
    }


def one(part: Any) -> Any:
    """A property, rewritten."""
    found = enforceable({"type": "object", "properties": {"a": part}, "required": ["a"]})
    return None if found is None else found["properties"]["a"]


class Address(BaseModel):
    city: str = Field(min_length=1, description="Where.")
    kind: Literal["home", "work"] = "home"


class Person(BaseModel):
    age: int | None = Field(default=None, ge=0)
    addresses: list[Address] = Field(default_factory=list[Address], max_length=3)


def test_a_model_of_pydantic() -> None:
    assert enforceable(Person.model_json_schema()) == closed(
        {
            "age": {
                "anyOf": [
                    {"type": "integer", "description": 'Must satisfy {"minimum":0}'},
                    {"type": "null"},
                ]
            },
            "addresses": {
                "type": "array",
                "items": {"$ref": "#/$defs/Address"},
                "description": 'Must satisfy {"maxItems":3}',
            },
        },
        **{
            "$defs": {
                "Address": closed(
                    {
                        "city": {"type": "string", "description": 'Where.\n\nMust satisfy {"minLength":1}'},
                        "kind": {"enum": ["home", "work"]},
                    },
                    "city",
                )
            }
        },
    )


@pytest.mark.parametrize(
    ("part", "rewritten"),
    [
        ({"type": "string"}, {"type": "string"}),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        (
            {"type": "string", "format": "color"},
            {"type": "string", "description": 'Must satisfy {"format":"color"}'},
        ),
        (
            {"type": "number", "minimum": 0, "multipleOf": 0.5},
            {"type": "number", "description": 'Must satisfy {"minimum":0,"multipleOf":0.5}'},
        ),
        (
            {"type": "array", "items": {"type": "null"}, "minItems": 1},
            {"type": "array", "items": {"type": "null"}, "minItems": 1},
        ),
        (
            {"type": "array", "items": {"type": "null"}, "minItems": 2},
            {"type": "array", "items": {"type": "null"}, "description": 'Must satisfy {"minItems":2}'},
        ),
        ({"const": 1}, {"const": 1}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        (
            {"oneOf": [{"type": "string", "pattern": "x"}, {"type": "null"}]},
            {
                "anyOf": [
                    {"type": "string", "description": 'Must satisfy {"pattern":"x"}'},
                    {"type": "null"},
                ]
            },
        ),
        (
            {"allOf": [{"type": "string", "maxLength": 2}], "description": "Short."},
            {"type": "string", "description": 'Short.\n\nMust satisfy {"maxLength":2}'},
        ),
        (
            {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 2},
            {
                "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                "description": 'Must satisfy {"maxItems":2}',
            },
        ),
    ],
)
def test_parts(part: dict[str, Any], rewritten: dict[str, Any]) -> None:
    assert one(part) == rewritten


def test_a_property_may_be_called_like_a_keyword() -> None:
    parts = {name: {"type": "string"} for name in ("type", "format", "maximum", "enum", "items")}
    assert enforceable({"type": "object", "properties": parts}) == closed(parts)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "object", "additionalProperties": {"type": "integer"}},
        {"type": "object", "properties": {}, "additionalProperties": True},
        {"type": "object"},
        {"type": "array", "prefixItems": [{"type": "integer"}]},
        {"type": "array"},
        {},
        True,
        {"not": {"type": "string"}},
        {"type": "object", "properties": {}, "required": ["b"]},
        {"$ref": "#"},
    ],
)
def test_what_would_mean_something_else_is_not_expressible(part: Any) -> None:
    assert one(part) is None


def test_nor_is_what_refers_to_itself() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}
    assert enforceable({"$ref": "#/$defs/N", "$defs": {"N": node}}) is None
    chain = {"A": {"$ref": "#/$defs/B"}, "B": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}
    assert enforceable({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": chain}) is None


def test_what_refers_to_one_thing_twice_is() -> None:
    axis = {"type": "object", "properties": {"v": {"type": "number"}}, "required": ["v"]}
    parts = {"x": {"$ref": "#/$defs/Axis"}, "y": {"$ref": "#/$defs/Axis"}}
    found = enforceable(
        {"type": "object", "properties": parts, "required": ["x", "y"], "$defs": {"Axis": axis}}
    )
    assert found == closed(parts, "x", "y", **{"$defs": {"Axis": closed({"v": {"type": "number"}}, "v")}})


def test_size_is_limited() -> None:
    def optional(count: int) -> dict[str, Any]:
        return {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(count)}}

    def unions(count: int) -> dict[str, Any]:
        names = [f"p{i}" for i in range(count)]
        parts = {name: {"anyOf": [{"type": "string"}, {"type": "null"}]} for name in names}
        return {"type": "object", "properties": parts, "required": names}

    assert enforceable(optional(MOST_OPTIONAL)) is not None
    assert enforceable(optional(MOST_OPTIONAL + 1)) is None
    assert enforceable(unions(MOST_UNIONS)) is not None
    assert enforceable(unions(MOST_UNIONS + 1)) is None


@pytest.mark.parametrize("depth", [50, 5000])
def test_one_that_is_nested_too_deeply_is_not_expressible(depth: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    assert enforceable(schema) is None
