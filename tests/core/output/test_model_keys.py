from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union

import pytest
from pydantic import (
    AliasChoices,
    AliasPath,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from finalturn._core.output.model_keys import adapter_keys, model_keys


class Plain(BaseModel):
    a: int
    b: int = 0


class Aliased(BaseModel):
    a: int = Field(alias="A")
    b: int = Field(0, validation_alias="B")
    c: int = Field(0, alias="C", validation_alias="V")
    d: int = Field(0, serialization_alias="S")


class ByEither(Aliased):
    model_config = ConfigDict(validate_by_name=True)


class Populated(Aliased):
    model_config = ConfigDict(populate_by_name=True)


class ByName(Aliased):
    model_config = ConfigDict(validate_by_alias=False, validate_by_name=True)


class Paths(BaseModel):
    a: int = Field(validation_alias=AliasPath("data", "x", 0))
    b: int = Field(0, validation_alias=AliasChoices("B", "bee", AliasPath("data", 1)))


class Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)
    first_name: str


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int = 0


class Node(BaseModel):
    name: str
    kids: list[Node] = []


class Empty(BaseModel):
    pass


@pytest.mark.parametrize(
    ("model", "declared", "required"),
    [
        (Plain, {"a", "b"}, {"a"}),
        (Aliased, {"A", "B", "V", "d"}, {"A"}),
        (ByEither, {"A", "B", "V", "a", "b", "c", "d"}, {"A", "a"}),
        (Populated, {"A", "B", "V", "a", "b", "c", "d"}, {"A", "a"}),
        (ByName, {"a", "b", "c", "d"}, {"a"}),
        (Paths, {"data", "B", "bee"}, {"data"}),
        (Camel, {"firstName"}, {"firstName"}),
        (Open, {"a"}, set[str]()),
        (Node, {"name", "kids"}, {"name"}),
        (Empty, set[str](), set[str]()),
    ],
)
def test_keys_of_a_model(model: type[BaseModel], declared: set[str], required: set[str]) -> None:
    keys = model_keys(model)
    assert keys.kinds == {"object"}
    assert keys.declared == declared
    assert keys.required == required


@pytest.mark.parametrize("model", [Aliased, ByEither, Populated, ByName, Paths, Camel])
def test_each_declared_key_is_read_by_validation(model: type[BaseModel]) -> None:
    class Strict(model):  # type: ignore[valid-type, misc]
        model_config = ConfigDict(extra="forbid")

    adapter: TypeAdapter[Any] = TypeAdapter(Strict)
    for key in model_keys(Strict).declared:
        with pytest.raises(ValidationError) as caught:
            adapter.validate_json(f'{{"{key}": {{"x": [0]}}, "unknown": 1}}')
        extra = {item["loc"] for item in caught.value.errors() if item["type"] == "extra_forbidden"}
        assert extra == {("unknown",)}


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str = Field("", validation_alias=AliasChoices("name", "nick"))


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: int


class Numbers(RootModel[list[int]]):
    pass


@dataclass
class Point:
    x: int


def same(value: object) -> object:
    return value


PETS = ({"kind", "name", "nick", "bark"}, {"kind"})


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        (Plain, ({"a", "b"}, {"a"})),
        (Plain | None, ({"a", "b"}, {"a"})),
        (Node, ({"name", "kids"}, {"name"})),
        (Union[Cat, Dog], PETS),  # noqa: UP007
        (Annotated[Cat | Dog, Field(discriminator="kind")], PETS),
        (Annotated[Cat | Dog, BeforeValidator(same)], PETS),
        (Cat | Dog | int | str | None, PETS),
        (Cat | Node, ({"kind", "name", "nick", "kids"}, set[str]())),
        (Plain | list[int], None),
        (Plain | Point, None),
        (dict[str, int], None),
        (Numbers, None),
        (Point, None),
        (int, None),
        (list["Plain"], None),
    ],
)
def test_keys_of_an_adapter(form: Any, keys: tuple[set[str], set[str]] | None) -> None:
    found = adapter_keys(TypeAdapter(form).core_schema)
    if keys is None:
        assert found is None
    else:
        assert found is not None
        assert found.declared == keys[0]
        assert found.required == keys[1]


def test_a_definition_that_is_missing_or_leads_to_itself_gives_no_keys() -> None:
    reference = {"type": "definition-ref", "schema_ref": "a"}
    assert adapter_keys(reference) is None
    loop = {"type": "nullable", "schema": reference, "ref": "a"}
    assert adapter_keys({"type": "definitions", "schema": reference, "definitions": [loop]}) is None


def test_labelled_choices() -> None:
    choice = TypeAdapter(Plain).core_schema
    labelled = adapter_keys({"type": "union", "choices": [(choice, "plain")]})
    assert labelled is not None and labelled.declared == {"a", "b"}
