"""Schemas in Gemini's subset: what is rewritten, and that nothing is shut out by it."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, TypeAdapter

from finalturn._providers.gemini.schema import MOST_NODES, gemini_schema

STRING = {"type": "string"}
VALIDATOR: Any = jsonschema.Draft202012Validator


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **more}


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Axis(BaseModel):
    name: str
    low: float = Field(ge=0, description="least")


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]


class Tree(BaseModel):
    value: int
    kids: list[Tree] = []


class Strict(BaseModel):
    kids: list[Strict]


class Everything(BaseModel):
    x: Axis
    y: Axis = Field(description="the other")
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    colour: Colour | None = None
    pair: tuple[int, str]
    by_name: dict[str, int]
    code: str = Field(pattern="^a", min_length=2, description="a code")


class TestPydantic:
    def test_a_model_with_all_kinds_of_fields(self) -> None:
        axis = obj(
            {"name": STRING, "low": {"type": "number", "description": "least", "minimum": 0}},
            required=["name", "low"],
        )
        assert gemini_schema(Everything.model_json_schema()) == obj(
            {
                "x": axis,
                "y": axis | {"description": "the other"},
                "pet": {
                    "anyOf": [
                        obj(
                            {"kind": STRING | {"enum": ["cat"]}, "lives": {"type": "integer"}},
                            required=["kind", "lives"],
                        ),
                        obj({"kind": STRING | {"enum": ["dog"]}}, required=["kind"]),
                    ]
                },
                "colour": {"anyOf": [STRING | {"enum": ["red", "blue"]}, {"type": "null"}]},
                "pair": {
                    "type": "array",
                    "prefixItems": [{"type": "integer"}, STRING],
                    "minItems": 2,
                    "maxItems": 2,
                },
                "by_name": {"type": "object", "additionalProperties": {"type": "integer"}},
                "code": STRING | {"description": 'a code (pattern: "^a", minLength: 2)'},
            },
            required=["x", "y", "pet", "pair", "by_name", "code"],
        )

    def test_recursion_in_what_is_not_required_stays(self) -> None:
        kids = {"type": "array", "items": {"$ref": "#/$defs/schema0"}}
        tree = obj({"value": {"type": "integer"}, "kids": kids}, required=["value"])
        assert gemini_schema(Tree.model_json_schema()) == tree | {"$defs": {"schema0": tree}}

    def test_other_recursion_is_not_taken(self) -> None:
        assert gemini_schema(Strict.model_json_schema()) is None

    @pytest.mark.parametrize("kind", [int, str, list[int], list[Axis], Axis | Cat, None, dict[str, Axis]])
    def test_roots_of_any_kind_are(self, kind: Any) -> None:
        assert gemini_schema(TypeAdapter(kind).json_schema())


class TestReferences:
    @pytest.mark.parametrize("ref", ["#/$defs/a", "#/definitions/a", "#/properties/x"])
    def test_they_are_written_out_wherever_they_point(self, ref: str) -> None:
        schema = obj({"x": STRING, "y": {"$ref": ref}}) | {
            "$defs": {"a": STRING},
            "definitions": {"a": STRING},
        }
        assert gemini_schema(schema) == obj({"x": STRING, "y": STRING})

    def test_what_stands_beside_one_holds_too(self) -> None:
        schema = {
            "$defs": {"a": obj({"x": STRING}, description="inner", required=["x"])},
            "$ref": "#/$defs/a",
            "description": "outer",
            "properties": {"y": STRING},
            "required": ["y"],
        }
        assert gemini_schema(schema) == obj({"x": STRING, "y": STRING}, required=["y", "x"]) | {
            "description": "outer"
        }

    def test_one_to_the_root_is_a_definition_of_its_own(self) -> None:
        schema = obj({"next": {"$ref": "#", "description": "more"}})
        rewritten = obj({"next": {"$ref": "#/$defs/schema0"}})
        assert gemini_schema(schema) == rewritten | {"$defs": {"schema0": rewritten}}

    def test_several_that_go_round_through_each_other(self) -> None:
        schema = obj({"a": {"$ref": "#/$defs/a"}}) | {
            "$defs": {
                "a": obj({"b": {"$ref": "#/$defs/b"}}, required=["b"]),
                "b": obj({"a": {"$ref": "#/$defs/a"}}),
            }
        }
        inner = obj({"b": obj({"a": {"$ref": "#/$defs/schema0"}})}, required=["b"])
        assert gemini_schema(schema) == obj({"a": inner}) | {"$defs": {"schema0": inner}}

    @pytest.mark.parametrize(
        "ref", ["#", "#/$defs/none", "https://x/schema", "#anchor", "other.json", 7, "#/$defs/loop"]
    )
    def test_one_that_leads_nowhere_is_not_taken(self, ref: Any) -> None:
        assert gemini_schema({"$ref": ref, "$defs": {"loop": {"$ref": "#/$defs/loop"}}}) is None

    def test_one_that_grows_too_large_or_too_deep_is_not_taken(self) -> None:
        doubled = {f"d{at}": obj({key: {"$ref": f"#/$defs/d{at + 1}"} for key in "ab"}) for at in range(40)}
        assert gemini_schema({"$ref": "#/$defs/d0", "$defs": doubled | {"d40": STRING}}) is None
        assert gemini_schema(obj({str(at): STRING for at in range(MOST_NODES)})) is None
        deep: dict[str, Any] = {}
        for _ in range(1500):
            deep = {"items": deep}
        assert gemini_schema(deep) is None


class TestKeywords:
    def test_each_keyword_is_sent_or_said_in_words(self) -> None:
        cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
            ({}, {}),
            ({"title": "T", "default": 1, "examples": [1], "$comment": "c", "type": "string"}, STRING),
            ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
            (
                {"type": ["array", "null"], "items": STRING},
                {"anyOf": [{"type": "array", "items": STRING}, {"type": "null"}]},
            ),
            ({"oneOf": [STRING, {"type": "null"}]}, {"anyOf": [STRING, {"type": "null"}]}),
            (
                {"type": "string", "anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]},
                {"anyOf": [STRING | {"enum": ["a"]}, STRING | {"enum": ["b"]}]},
            ),
            ({"anyOf": [STRING, {}]}, {}),
            ({"anyOf": [STRING, True]}, {}),
            (obj({"a": STRING}, anyOf=[{"required": ["a"]}, {"required": ["b"]}]), obj({"a": STRING})),
            ({"allOf": [obj({"a": STRING}), obj({"b": STRING})]}, obj({"a": STRING, "b": STRING})),
            (obj({"a": STRING}, required=["a", "b"]), obj({"a": STRING}, required=["a"])),
            (obj({}, additionalProperties=False), obj({}, additionalProperties=False)),
            (obj({}, additionalProperties=False, patternProperties={"^x": STRING}), obj({})),
            (obj({"a": False, "b": True}), obj({"a": {}, "b": {}})),
            ({"type": "array", "items": False}, {"type": "array"}),
            ({"type": "string", "format": "date-time"}, STRING | {"format": "date-time"}),
            ({"type": "string", "format": "email"}, STRING | {"description": 'format: "email"'}),
            ({"not": STRING, "if": {}, "then": STRING, "contains": STRING}, {}),
        ]
        for schema, sent in cases:
            assert gemini_schema(schema) == sent, schema

    def test_the_schema_itself_is_not_changed(self) -> None:
        schema = Everything.model_json_schema()
        before = json.dumps(schema)
        gemini_schema(schema)
        assert json.dumps(schema) == before


VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        1,
        2.5,
        "",
        "a",
        "b",
        [],
        [1],
        ["a", 1],
        {},
        {"a": 1},
        {"b": "a"},
        {"a": "a", "x": {}},
    ]
)
LEAVES: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            [
                "string",
                "integer",
                "number",
                "boolean",
                "null",
                "array",
                "object",
                ["string", "null"],
                ["array", "string"],
            ]
        ),
        "enum": st.lists(VALUES, min_size=1, max_size=4),
        "const": VALUES,
        "minimum": st.integers(0, 2),
        "maxItems": st.integers(0, 2),
        "minLength": st.integers(0, 2),
        "required": st.lists(st.sampled_from(["a", "b"]), unique=True),
        "$ref": st.sampled_from(["#/$defs/one", "#/$defs/two"]),
    },
)
SCHEMAS: st.SearchStrategy[Any] = st.recursive(
    LEAVES | st.booleans(),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", ["object", "null"]]),
            "properties": st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
            "patternProperties": st.dictionaries(st.sampled_from(["x", "a"]), inner, max_size=1),
            "additionalProperties": inner,
            "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2),
            "allOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
            "required": st.lists(st.sampled_from(["a", "b"]), unique=True),
            "$ref": st.sampled_from(["#/$defs/one", "#/$defs/two"]),
        },
    ),
    max_leaves=6,
)
KNOWN = {
    "$defs", "$ref", "additionalProperties", "anyOf", "description", "enum", "format", "items", "maxItems",
    "maximum", "minItems", "minimum", "prefixItems", "properties", "required", "type",
}  # fmt: skip


def check_subset(node: Any) -> None:
    """The documented subset, and nothing else."""
    if isinstance(node, bool):
        return
    assert node.keys() <= KNOWN
    assert "$ref" not in node or node.keys() == {"$ref"}
    assert "anyOf" not in node or node.keys() <= {"anyOf", "description", "$defs"}
    assert set(node.get("required", ())) <= node.get("properties", {}).keys()
    parts = [*node.get("properties", {}).values(), *node.get("$defs", {}).values()]
    parts += [*node.get("anyOf", ()), *node.get("prefixItems", ())]
    for part in [*parts, *(node[name] for name in ("items", "additionalProperties") if name in node)]:
        check_subset(part)


@given(SCHEMAS, SCHEMAS, SCHEMAS, VALUES)
def test_a_value_that_the_schema_allows_is_allowed_by_what_is_sent(
    root: Any, one: Any, two: Any, value: Any
) -> None:
    node: dict[str, Any] = {"allOf": [root]} if isinstance(root, bool) else root
    schema = {**node, "$defs": {"one": one, "two": two}}
    found = gemini_schema(schema)
    if found is None:
        return
    check_subset(found)
    try:
        valid = VALIDATOR(schema).is_valid(value)
    except RecursionError:
        # It says that it is as itself, and no more.
        return
    if valid:
        assert VALIDATOR(found).is_valid(value)


@given(
    st.dictionaries(
        st.sampled_from(sorted(KNOWN | {"const", "allOf"})), VALUES | st.lists(VALUES, max_size=2)
    )
)
def test_what_is_no_schema_breaks_nothing(schema: Any) -> None:
    gemini_schema(schema)
