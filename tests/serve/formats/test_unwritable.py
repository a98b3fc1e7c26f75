from __future__ import annotations

import dataclasses
from collections.abc import Callable
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    InstanceOf,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    WithJsonSchema,
    computed_field,
)

from finalturn import Agent, ConfigurationError
from finalturn._serve.formats.public import parsed_to_json
from finalturn._serve.formats.unwritable import check_writable, unwritable_field
from finalturn.providers import Scripted
from finalturn.serve import create_app, create_router


class Thing:
    def __init__(self, name: str) -> None:
        self.name = name


_TEXT = WithJsonSchema({"type": "string"})
AsThing = Annotated[InstanceOf[Thing], BeforeValidator(Thing), _TEXT]


class Bytes(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64")
    data: bytes


class Nested(BaseModel):
    inner: list[Bytes | None]


class Things(BaseModel):
    thing: AsThing


class Computed(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    name: str

    @computed_field  # type: ignore[prop-decorator]
    @property
    def thing(self) -> Thing:
        return Thing(self.name)


class Calls(BaseModel):
    call: Annotated[Callable[[], int], BeforeValidator(lambda text: lambda: text), _TEXT]


@dataclasses.dataclass
class Data:
    thing: AsThing


@pytest.mark.parametrize(
    ("response_format", "message"),
    [
        (Bytes, "field 'data': bytes that are read as base64 cannot be written as text; set ser_json_bytes"),
        (Nested, "field 'inner.data': bytes"),
        (Things, "field 'thing': a Thing has no JSON form; give it a serialiser"),
        (Computed, "field 'thing': a Thing has no JSON form"),
        (Calls, "field 'call': a class or function has no JSON form"),
        (TypeAdapter(Data), "field 'thing': a Thing"),
        (TypeAdapter(list[Things]), "field 'thing': a Thing"),
        (TypeAdapter(AsThing), "cannot be served: a Thing has no JSON form"),
        (Annotated[list[Bytes], 1], "field 'data': bytes"),
    ],
)
def test_what_no_client_could_be_told_is_refused_when_it_is_served(
    response_format: Any, message: str
) -> None:
    agent: Agent[Any] = Agent(Scripted(), response_format=response_format)
    with pytest.raises(ConfigurationError, match="an agent with this response_format cannot be served"):
        create_router(agent, authenticate=None)
    with pytest.raises(ConfigurationError) as caught:
        create_app(agent)
    assert message in str(caught.value)


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)
    a: int = 1


class Color(Enum):
    RED = b"red"


class Written(BaseModel):
    model_config = ConfigDict(val_json_bytes="base64", ser_json_bytes="base64")
    data: bytes
    many: set[Frozen]
    color: Color
    model: InstanceOf[Frozen]
    maybe: Annotated[Any, PlainValidator(Thing, json_schema_input_type=str)]
    text: Annotated[str, AfterValidator(Thing)]
    thing: Annotated[AsThing, PlainSerializer(lambda thing: thing.name, return_type=str)]


class Tree(BaseModel):
    kids: list[Tree]


@pytest.mark.parametrize(
    "response_format", [None, {"type": "array"}, Written, Tree, TypeAdapter(set[Frozen]), TypeAdapter(bytes)]
)
def test_what_can_be_written_or_where_only_a_value_can_tell_is_taken(response_format: Any) -> None:
    check_writable(response_format)
    create_app(Agent(Scripted(), response_format=response_format))


def test_the_field_that_a_value_fails_by() -> None:
    @dataclasses.dataclass
    class Pair:
        one: object
        two: object

    assert unwritable_field(Pair(1, object()), parsed_to_json) == "two"
    assert unwritable_field(Things(thing="a"), parsed_to_json) == "thing"  # type: ignore[arg-type]
    assert unwritable_field([object()], parsed_to_json) == ""
