"""The schema of a pydantic type describes the input that validates."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from enum import Enum, StrEnum
from typing import Any, Literal

import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass

from finalturn._core.json_schema import SchemaValueError
from finalturn._core.output.pydantic_schema import InputSchema


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema(schema_generator=InputSchema)


class FromPaths(BaseModel):
    x: int = Field(validation_alias=AliasPath("data", "x"))
    y: str = Field("", validation_alias=AliasPath("data", "tags", 1))
    z: int = Field(validation_alias=AliasPath("list", 2, "z"))
    w: int = Field(validation_alias=AliasPath("list", 0))
    plain: int = 0


def test_a_field_is_described_where_validation_reads_it() -> None:
    assert schema_of(FromPaths) == {
        "title": "FromPaths",
        "type": "object",
        "properties": {
            "plain": {"default": 0, "title": "Plain", "type": "integer"},
            "data": {
                "type": "object",
                "properties": {
                    "x": {"title": "X", "type": "integer"},
                    "tags": {
                        "type": "array",
                        "prefixItems": [{}, {"default": "", "title": "Y", "type": "string"}],
                    },
                },
                "required": ["x"],
            },
            "list": {
                "type": "array",
                "prefixItems": [
                    {"title": "W", "type": "integer"},
                    {},
                    {
                        "type": "object",
                        "properties": {"z": {"title": "Z", "type": "integer"}},
                        "required": ["z"],
                    },
                ],
                "minItems": 3,
            },
        },
        "required": ["data", "list"],
    }


def test_an_answer_that_follows_the_description_validates() -> None:
    answer = FromPaths.model_validate_json(
        '{"data": {"x": 1, "tags": ["", "t"]}, "list": [4, null, {"z": 3}]}'
    )
    assert answer == FromPaths.model_construct(x=1, y="t", z=3, w=4, plain=0)


class Choices(BaseModel):
    a: int = Field(validation_alias=AliasChoices(AliasPath("data", "a"), "A"))
    b: int = Field(0, validation_alias=AliasChoices(AliasPath("data", "b"), AliasPath("other")))
    c: int = Field(0, validation_alias=AliasChoices(AliasPath("data", "c"), AliasPath("data", "d")))


def test_a_single_key_is_preferred_to_a_path() -> None:
    properties = schema_of(Choices)["properties"]
    assert properties.keys() == {"A", "other", "data"}
    assert properties["data"]["properties"].keys() == {"c"}


class NameToo(FromPaths):
    model_config = ConfigDict(validate_by_name=True)


class NameOld(FromPaths):
    model_config = ConfigDict(populate_by_name=True)


class NameOnly(FromPaths):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=False)


@pytest.mark.parametrize("model", [NameToo, NameOld, NameOnly])
def test_a_name_that_validation_takes_is_left(model: type[BaseModel]) -> None:
    assert schema_of(model)["properties"].keys() == {"x", "y", "z", "w", "plain"}


class Inner(BaseModel):
    x: int = Field(validation_alias=AliasPath("data", "x"))


class Outer(BaseModel):
    inner: Inner
    kids: list[Outer] = []


def test_nested_models_are_described_like_roots() -> None:
    definitions = schema_of(Outer)["$defs"]
    assert definitions["Inner"]["properties"].keys() == {"data"}
    assert definitions["Outer"]["required"] == ["inner"]


@pydantic_dataclass
class Point:
    x: int = Field(validation_alias=AliasPath("data", "x"))


def test_dataclasses_have_the_keys_that_they_are_read_by() -> None:
    schema = TypeAdapter(Point).json_schema(schema_generator=InputSchema)
    assert schema["properties"].keys() == {"data"}


class Defaulted(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    day: date = date(2026, 1, 2)
    odd: int = Field(default=object())  # type: ignore[assignment]


def test_a_default_that_json_cannot_show_is_left_out_without_a_warning() -> None:
    assert "default" not in schema_of(Defaulted)["properties"]["odd"]


class Ordinary(BaseModel):
    a: int = Field(alias="A")
    b: list[int] | None = None


class Reader(BaseModel):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=False)
    a: int = Field(alias="A")
    b: int = Field(0, validation_alias="B")
    inner: Ordinary


def test_aliases_that_a_model_does_not_read_are_not_described() -> None:
    schema = schema_of(Reader)
    assert schema["properties"].keys() == {"a", "b", "inner"}
    assert schema["required"] == ["a", "inner"]
    assert schema["$defs"]["Ordinary"]["properties"].keys() == {"A", "b"}


def test_everything_else_is_pydantics_own() -> None:
    assert schema_of(Ordinary) == Ordinary.model_json_schema()


class Mood(Enum):
    GOOD = "good"


class Size(StrEnum):
    BIG = "big"


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (Literal[Mood.GOOD, Size.BIG, "x"], ["big", "x"]),
        (Literal[Mood.GOOD, 1], 1),
        (Literal[Size.BIG], "big"),
    ],
)
def test_a_literal_names_what_validation_takes(given: Any, taken: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(given)
    schema = adapter.json_schema(schema_generator=InputSchema)
    assert schema.get("enum", schema.get("const")) == taken
    for value in schema.get("enum", [taken]):
        adapter.validate_json(json.dumps(value))
    with pytest.raises(ValidationError):
        adapter.validate_json('"good"')


class Moody(BaseModel):
    mood: Literal[Mood.GOOD]


class Lazy(BaseModel):
    items: Iterable[int]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Moody, "field 'mood': a Literal of Mood takes no JSON; derive Mood from StrEnum"),
        (Lazy, "field 'items': an Iterable is validated only as it is read; write list or Sequence"),
    ],
)
def test_what_no_answer_could_be_is_refused(model: type[BaseModel], words: str) -> None:
    with pytest.raises(SchemaValueError) as caught:
        schema_of(model)
    assert str(caught.value) == words
