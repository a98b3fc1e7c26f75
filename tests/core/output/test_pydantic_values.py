from __future__ import annotations

import dataclasses
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, WithJsonSchema

from finalturn._core import json_text
from finalturn._core.json_schema import SchemaValueError
from finalturn._core.output.pydantic_schema import InputSchema

INF = float("inf")
UNSAID: dict[str, Any] = {"x-a": object(), "x-b": b"\xff", "x-c": 1}


def field_of(annotation: Any, default: Any = ...) -> dict[str, Any]:
    """The schema of a model's only field, once the whole has been written as JSON."""
    namespace: dict[str, Any] = {"__annotations__": {"x": annotation}}
    if default is not ...:
        namespace["x"] = default
    model: Any = type("Model", (BaseModel,), namespace)
    schema = model.model_json_schema(schema_generator=InputSchema)
    found: dict[str, Any] = json_text.decode(json_text.encode(schema))["properties"]["x"]
    found.pop("title", None)
    return found


class Level(Enum):
    MOST = INF
    LEAST = 0.5


class Inner(BaseModel):
    y: float = INF


@dataclasses.dataclass(slots=True)
class Slots:
    y: float = INF


@pytest.mark.parametrize(
    ("annotation", "default", "schema"),
    [
        (float, INF, {"type": "number"}),
        (float, Field(INF, le=INF, ge=-INF), {"type": "number"}),
        (float, Field(examples=[INF, 1.0]), {"type": "number", "examples": [1.0]}),
        (list[float], [1.0, INF], {"type": "array", "items": {"type": "number"}}),
        (bytes, b"\xff", {"type": "string", "format": "binary"}),
        (Any, object(), {}),
        (Inner, Inner(), {"$ref": "#/$defs/Inner"}),
        (Slots, Slots(), {"$ref": "#/$defs/Slots"}),
        (Level, Level.MOST, {"$ref": "#/$defs/Level"}),
        (dict[str, Any], {"a": {1, 2}, "b": INF}, {"type": "object", "additionalProperties": True}),
        (
            int,
            Field(json_schema_extra=UNSAID),
            {"type": "integer", "x-c": 1},
        ),
        (int, Field(json_schema_extra=lambda schema: schema.update(maximum=INF)), {"type": "integer"}),
        (Annotated[int, WithJsonSchema({"type": "integer", "default": INF})], ..., {"type": "integer"}),
        (Literal[b"\xff", "a"], ..., {"const": "a", "type": "string"}),
    ],
)
def test_what_json_cannot_say_is_left_out(annotation: Any, default: Any, schema: dict[str, Any]) -> None:
    assert field_of(annotation, default) == schema


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity")])
def test_a_decimal_that_is_no_number_is_left_out(value: Decimal) -> None:
    assert "default" not in field_of(Decimal, value)
    assert field_of(Decimal, Decimal("1.5"))["default"] == "1.5"


def test_members_of_an_enum_that_json_has_stay() -> None:
    schema = TypeAdapter(Level).json_schema(schema_generator=InputSchema)
    assert schema["enum"] == [0.5]


def test_members_of_a_fields_own_enum_are_looked_at_one_by_one() -> None:
    extra: Any = {"enum": [1, INF, object(), 2]}
    assert field_of(Annotated[int, Field(json_schema_extra=extra)]) == {"type": "integer", "enum": [1, 2]}


def test_a_class_among_the_extras_is_left_out() -> None:
    extra: Any = {"x-a": int, "x-b": [int], "x-c": {"y": [1]}}
    assert field_of(Annotated[int, Field(json_schema_extra=extra)]) == {"type": "integer", "x-c": {"y": [1]}}


def test_extras_of_a_class_are_looked_at() -> None:
    class Model(BaseModel):
        model_config = ConfigDict(json_schema_extra={"x-limit": INF, "examples": [{"x": 1}]})
        x: int

    schema = Model.model_json_schema(schema_generator=InputSchema)
    assert "x-limit" not in schema
    assert schema["examples"] == [{"x": 1}]


class Deep(BaseModel):
    call: Callable[[], int]


class Lines(BaseModel):
    lines: list[Deep]


class Flags(BaseModel):
    flag: dict[str, Literal[b"\xff"]]


@dataclasses.dataclass
class Data:
    call: Callable[[], int]


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (Lines, "field 'lines.call': Cannot generate a JsonSchema"),
        (Data, "field 'call': Cannot generate a JsonSchema"),
        (Flags, "field 'flag': JSON can say none of its values"),
    ],
)
def test_what_cannot_be_sent_at_all_is_refused_by_its_field(form: Any, message: str) -> None:
    with pytest.raises(SchemaValueError, match=message):
        TypeAdapter(form).json_schema(schema_generator=InputSchema)
