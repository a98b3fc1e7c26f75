from __future__ import annotations

import copy
import gc
import re
import weakref
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter
from typing_extensions import TypedDict

from finalturn._core.errors import MessageFormatError
from finalturn._core.output import adapter_shape, model_shape, schema_shape

T = TypeVar("T")
OBJECT: dict[str, Any] = {"type": "object"}


class Box(BaseModel, Generic[T]):
    item: T
    note: str | None = None


class Node(BaseModel):
    name: str
    kids: list[Node] = []


class Named(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    inner: Node = Field(alias="Inner")


class Numbers(RootModel[list[int]]):
    pass


class Wrapped(RootModel[Node]):
    pass


@dataclass
class Point:
    x: int
    y: int = 0


class Movie(TypedDict, total=False):
    title: str


def test_a_model() -> None:
    shape = model_shape(Box[Named])
    assert shape.name == "Box_Named"
    assert shape.schema == Box[Named].model_json_schema()
    assert shape.roots == {"object"}
    assert shape.declared == {"item", "note"}
    assert shape.required == {"item"}
    assert shape.names == {"item", "note", "Inner", "name", "kids"}


def test_a_model_that_takes_names_and_aliases() -> None:
    shape = model_shape(Named)
    assert shape.declared == shape.required == {"inner", "Inner"}
    assert shape.names == {"inner", "Inner", "name", "kids"}


def test_a_recursive_model() -> None:
    shape = model_shape(Node)
    assert shape.name == "Node"
    assert shape.roots == {"object"}
    assert shape.required == {"name"}


@pytest.mark.parametrize(
    ("form", "name", "roots", "declared", "required"),
    [
        (int, "answer", {"number"}, set[str](), set[str]()),
        (list[Node], "answer", {"array"}, set[str](), set[str]()),
        (dict[str, int], "answer", {"object"}, set[str](), set[str]()),
        (Node, "Node", {"object"}, {"name", "kids"}, {"name"}),
        (Node | None, "answer", {"object", "null"}, {"name", "kids"}, {"name"}),
        (Point, "Point", {"object"}, {"x", "y"}, {"x"}),
        (Movie, "Movie", {"object"}, {"title"}, set[str]()),
        (Point | Movie, "answer", {"object"}, {"x", "y", "title"}, set[str]()),
        (Named | Box[int], "answer", {"object"}, {"inner", "Inner", "item", "note"}, set[str]()),
        (Numbers, "Numbers", {"array"}, set[str](), set[str]()),
        (Wrapped, "Wrapped", {"object"}, {"name", "kids"}, {"name"}),
    ],
)
def test_an_adapter(form: Any, name: str, roots: set[str], declared: set[str], required: set[str]) -> None:
    shape = adapter_shape(TypeAdapter(form))
    assert shape.name == name
    assert shape.roots == roots
    assert shape.declared == declared
    assert shape.required == required


def test_root_models() -> None:
    assert model_shape(Numbers).roots == {"array"}
    assert model_shape(Wrapped).required == {"name"}


@pytest.mark.parametrize(
    ("schema", "name"),
    [
        (OBJECT, "answer"),
        ({"title": "My ticket!"}, "My_ticket"),
        ({"title": "Überweisung"}, "Uberweisung"),
        ({"title": "票据"}, "answer"),
        ({"title": "a" * 100}, "a" * 64),
        ({"title": 5}, "answer"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"title": "Found"}}}, "Found"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {}}}, "answer"),
        ({"$ref": "#/$defs/a", "$defs": {"a": True}}, "answer"),
        ({"$ref": "https://example.org/a"}, "answer"),
    ],
)
def test_names_of_schemas(schema: dict[str, Any], name: str) -> None:
    assert schema_shape(schema).name == name


@given(title=st.text())
def test_names_are_what_vendors_take(title: str) -> None:
    title = title.encode("utf-8", "replace").decode()
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", schema_shape({"title": title}).name)


def test_a_schema_is_copied() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    before = copy.deepcopy(schema)
    shape = schema_shape(schema)
    schema["properties"]["a"]["type"] = "string"
    assert shape.schema == before
    with pytest.raises(TypeError):
        shape.schema["properties"]["a"] = {}


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(MessageFormatError):
        schema_shape({"enum": {1, 2}})


def test_a_shape_does_not_keep_its_type_alive() -> None:
    class Short(BaseModel):
        a: int

    reference = weakref.ref(Short)
    shape = model_shape(Short)
    del Short
    gc.collect()
    assert reference() is None
    assert shape.name == "Short"
