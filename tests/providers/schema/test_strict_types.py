"""What becomes of the schemas of pydantic types."""

from __future__ import annotations

from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter
from typing_extensions import TypedDict

from finalturn._jsonschema.validate import problems_finder
from finalturn._providers.schema.strict import StrictSchema
from finalturn._providers.schema.strict_limits import Inexpressible
from finalturn._response_format import output_of


def strict_type(form: Any) -> dict[str, Any] | None:
    try:
        return StrictSchema(TypeAdapter(form).json_schema()).rewritten()
    except Inexpressible:
        return None


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Axis(BaseModel):
    """Where it lies."""

    name: str = Field(description="The name.", min_length=1, max_length=9)


class Chart(BaseModel):
    x: Axis = Field(description="Across.")
    y: Axis
    color: Color = Color.RED
    scale: float | None = Field(None, gt=0, le=10)
    tags: list[str] = Field(default_factory=list, max_length=5)
    day: date | None = None
    kind: Literal["line", "bar"] = "line"
    mixed: Literal["a", 1, None] = None


def test_a_model() -> None:
    assert strict_type(Chart) == {
        "type": "object",
        "properties": {
            "x": {"anyOf": [{"$ref": "#/$defs/Axis"}], "description": "Across."},
            "y": {"$ref": "#/$defs/Axis"},
            "color": {"$ref": "#/$defs/Color"},
            "scale": {
                "anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": 10}, {"type": "null"}],
            },
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
            "day": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
            "kind": {"type": "string", "enum": ["line", "bar"]},
            "mixed": {"type": ["string", "integer", "null"], "enum": ["a", 1, None]},
        },
        "required": ["x", "y", "color", "scale", "tags", "day", "kind", "mixed"],
        "additionalProperties": False,
        "$defs": {
            "Color": {"type": "string", "enum": ["red", "blue"]},
            "Axis": {
                "type": "object",
                "properties": {"name": {"type": "string", "description": "The name."}},
                "required": ["name"],
                "additionalProperties": False,
                "description": "Where it lies.",
            },
        },
    }


class Node(BaseModel):
    name: str
    kids: list[Node] = []


def test_a_recursive_root_is_written_out() -> None:
    node = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        },
        "required": ["name", "kids"],
        "additionalProperties": False,
    }
    assert strict_type(Node) == {**node, "$defs": {"Node": node}}


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Home(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")


def test_a_discriminated_union_is_a_plain_one() -> None:
    schema = strict_type(Home)
    assert schema is not None
    assert schema["properties"] == {"pet": {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}}
    assert schema["$defs"]["Cat"]["properties"] == {"kind": {"type": "string", "const": "cat"}}


class Empty(BaseModel):
    pass


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    a: int


class Wrapped(RootModel[Closed]):
    pass


class Film(TypedDict):
    title: str
    year: NotRequired[int | None]
    cast: NotRequired[list[str]]


@pytest.mark.parametrize("form", [Empty, Closed, Wrapped, Film])
def test_what_can_be_said(form: Any) -> None:
    schema = strict_type(form)
    assert schema is not None
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Scores(BaseModel):
    scores: dict[str, int]


class Pair(BaseModel):
    pair: tuple[int, str]


class Any_(BaseModel):
    value: Any


class Bag(BaseModel):
    items: list[Any]


class Free(BaseModel):
    free: dict[str, Any] = {}


class Rows(NamedTuple):
    a: int


class Row(BaseModel):
    row: Rows


class Maybe(TypedDict):
    title: NotRequired[str]


class Made(BaseModel):
    axis: Axis = Field(default_factory=lambda: Axis(name="x"))


class AtLeastOne(TypedDict):
    tags: NotRequired[Annotated[list[str], Field(min_length=1)]]


def test_a_type_that_strict_mode_cannot_say_is_refused() -> None:
    cases: list[Any] = [
        Open,
        Scores,
        Pair,
        Any_,
        Bag,
        Free,
        Row,
        Maybe,
        Made,
        AtLeastOne,
        int,
        list[int],
        dict[str, int],
        Cat | Dog,
        Closed | None,
        str | None,
    ]
    for form in cases:
        assert strict_type(form) is None, form


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (
            Chart,
            '{"x":{"name":"a"},"y":{"name":"b"},"color":"red","scale":null,"tags":[],"day":null,"kind":"bar","mixed":1}',
        ),
        (Node, '{"name":"a","kids":[{"name":"b","kids":[]}]}'),
        (Home, '{"pet":{"kind":"dog"}}'),
    ],
)
def test_what_the_rewritten_schema_allows_validates(form: Any, text: str) -> None:
    schema = strict_type(form)
    assert schema is not None
    output = output_of(form)
    value = TypeAdapter(Any).validate_json(text)
    assert problems_finder(schema)(value) == []
    assert hasattr(output.reuse(text), "value")
