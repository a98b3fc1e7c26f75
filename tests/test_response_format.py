from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, Generic, List, Literal, NewType, Optional, TypeVar, Union  # noqa: UP035

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, RootModel, TypeAdapter
from typing_extensions import TypedDict

from finalturn._core.errors import ConfigurationError
from finalturn._core.output import Answer, Rejection
from finalturn._response_format import as_format, output_of

T = TypeVar("T")
UserId = NewType("UserId", int)


class Ticket(BaseModel):
    id: int
    passed: bool = False


class Box(BaseModel, Generic[T]):
    item: T


class Node(BaseModel):
    name: str
    kids: list[Node] = []


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    passed: bool


class Shape(TypedDict):
    x: int


class Color(Enum):
    RED = "red"


class Unhashable:
    __hash__ = None  # type: ignore[assignment]  # pyright: ignore


class Numbers(RootModel[list[int]]):
    pass


@dataclass
class Point:
    x: int


SCHEMA: dict[str, Any] = {
    "title": "Ticket",
    "type": "object",
    "properties": {"id": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["id"],
}


@pytest.mark.parametrize(
    ("response_format", "text", "value"),
    [
        (Ticket, '{"id": 9007199254740993}', Ticket(id=9007199254740993)),
        (Box[int], '{"item": 1}', Box[int](item=1)),
        (Node, '{"name": "a", "kids": [{"name": "b"}]}', Node(name="a", kids=[Node(name="b")])),
        (Numbers, "[1]", Numbers([1])),
        (TypeAdapter(int), "1", 1),
        (TypeAdapter(list[Ticket]), '[{"id": 1}]', [Ticket(id=1)]),
        (TypeAdapter(Ticket | Node), '{"id": 1}', Ticket(id=1)),
        (TypeAdapter(Point), '{"x": 1}', Point(1)),
        (TypeAdapter(tuple[int, str]), '[1, "a"]', (1, "a")),
        (TypeAdapter(dict[str, int]), '{"a": 1}', {"a": 1}),
        (SCHEMA, '{"id": 1, "tags": ["a"]}', {"id": 1, "tags": ["a"]}),
        (MappingProxyType(SCHEMA), '{"id": 9007199254740993}', {"id": 9007199254740993}),
        (UserDict(SCHEMA), '{"id": 1}', {"id": 1}),
        ({"type": ["null", "integer"]}, "0", 0),
        (int, "1", 1),
        (Point, '{"x": 1}', Point(1)),
        (Shape, '{"x": 1}', {"x": 1}),
        (list[Ticket], '[{"id": 1}]', [Ticket(id=1)]),
        (Ticket | Node, '{"id": 1}', Ticket(id=1)),
        (Union[Ticket, Node], '{"id": 1}', Ticket(id=1)),  # noqa: UP007  # as some write it
        (Optional[Ticket], '{"id": 1}', Ticket(id=1)),  # noqa: UP045  # as some write it
        (Annotated[int, Field(le=3)], "3", 3),
        (Annotated[list[int], Unhashable()], "[1]", [1]),
        (Literal["a"], '"a"', "a"),
        (UserId, "7", 7),
        (List, "[1]", [1]),  # noqa: UP006  # as some write it
        (Color, '"red"', Color.RED),
        ({"type": "number", "maximum": float("inf"), "default": {1}}, "2", 2),
    ],
)
def test_what_it_takes(response_format: Any, text: str, value: object) -> None:
    output = output_of(response_format)
    assert output.reuse(text) == output.extract(f"So: {text}") == Answer(text, value)


@pytest.mark.parametrize(
    ("response_format", "text", "reason"),
    [
        (Strict, '{"passed": "true"}', "bool_type at passed"),
        (Ticket, '{"id": "SECRET", "SECRET": 1}', "int_parsing at id"),
        (TypeAdapter(list[Ticket]), '[{"id": 1}, {"SECRET": 1}]', "missing at [1].id"),
        (TypeAdapter(dict[str, int]), '{"SECRET": "x"}', "int_parsing at ?"),
        (SCHEMA, '{"id": "SECRET"}', "type at id"),
        (SCHEMA, '{"id": 1, "tags": ["a", 2]}', "type at tags[1]"),
        (SCHEMA, '{"SECRET": 1}', "required"),
    ],
)
def test_what_it_rejects(response_format: Any, text: str, reason: str) -> None:
    verdict = output_of(response_format).extract(text)
    assert isinstance(verdict, Rejection)
    assert verdict.reason == f"the answer does not match the schema: {reason}"


def test_a_value_that_the_library_cannot_check_is_a_rejection() -> None:
    verdict = output_of({"multipleOf": 0.1}).extract("1" + "0" * 400)
    assert verdict == Rejection(
        "a validator failed (OverflowError)",
        "The answer could not be validated: a validator failed (OverflowError).",
    )


@pytest.mark.parametrize(
    ("response_format", "message"),
    [
        (Ticket(id=1), "cannot be an instance of Ticket; give the class itself"),
        (type("Old", (), {"__module__": "pydantic.v1.main"}), "derive it from pydantic.BaseModel"),
        ('{"type": "object"}', "cannot be an instance of str; decode a JSON Schema into a mapping first"),
        ("Ticket", "decode a JSON Schema into a mapping first, and give a type itself, not its name"),
        (Iterable[int], "an Iterable is validated only as it is read; write list or Sequence"),
        (Literal[Color.RED], "a Literal of Color takes no JSON; derive Color from StrEnum"),
        (b"{}", "cannot be an instance of bytes; decode"),
        (
            None,
            "cannot be an instance of NoneType; give a pydantic model class, another type, a TypeAdapter, or",
        ),
        ([Ticket], "cannot be an instance of list; write the type of a list as list[Item]"),
        (BaseModel, "BaseModel has no usable JSON Schema: "),
        ({"type": "objekt"}, "not a valid JSON Schema (draft 2020-12): at type"),
        ({"$ref": "https://example.org/x"}, "references are not fetched"),
        (type("Plain", (), {}), "response_format Plain has no usable JSON Schema: Unable to generate"),
        (Literal[b"\xff"], "has no usable JSON Schema: JSON can say none of its values"),
        ({"enum": {1}}, "the mapping is not a JSON Schema: its enum holds a set"),
        (
            {"properties": {"a": {"items": {"const": {1}}}}},
            "not a JSON Schema: field 'a[]': its const holds a set",
        ),
        ({1: 2}, "the mapping is not a JSON Schema: the schema has a key of type int"),
        ({"const": float("nan")}, "a number that JSON does not have"),
    ],
)
def test_what_it_refuses(response_format: object, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        output_of(response_format)
    assert message in str(caught.value)


def test_a_mapping_that_holds_itself_is_refused() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    with pytest.raises(ConfigurationError, match="nested"):
        output_of(schema)


class Unfinished(BaseModel):
    x: Missing  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore


class Calls(BaseModel):
    f: Callable[[], int]


def broken(schema: dict[str, Any]) -> None:
    schema["properties"] = 5


def silent(schema: dict[str, Any]) -> None:
    raise LookupError


class Broken(BaseModel):
    model_config = ConfigDict(json_schema_extra=broken)


class Silent(BaseModel):
    model_config = ConfigDict(json_schema_extra=silent)


@pytest.mark.parametrize(
    ("response_format", "message"),
    [
        (
            Unfinished,
            "response_format Unfinished has no usable JSON Schema: `Unfinished` is not fully defined",
        ),
        (Calls, "response_format Calls has no usable JSON Schema: field 'f': Cannot generate a JsonSchema"),
        (TypeAdapter(Callable[[], int]), "has no usable JSON Schema: Cannot generate a JsonSchema"),
        (Broken, "response_format Broken has no usable JSON Schema: "),
        (Silent, "response_format Silent has no usable JSON Schema: LookupError"),
    ],
)
def test_a_type_without_a_schema_is_refused(response_format: object, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        output_of(response_format)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_type_becomes_one_adapter_and_the_order_of_a_union_is_kept() -> None:
    assert as_format(list[Ticket]) is as_format(list[Ticket])
    assert as_format(Ticket) is Ticket
    first = output_of(Ticket | Node).schema["anyOf"]
    assert output_of(Node | Ticket).schema["anyOf"] == [*reversed(first)]


def test_what_json_cannot_say_still_binds_a_mapping() -> None:
    output = output_of({"type": "number", "minimum": float("inf")})
    assert dict(output.schema) == {"type": "number"}
    assert isinstance(output.extract("2"), Rejection)


def test_a_schema_is_made_once_for_each_type() -> None:
    adapter = TypeAdapter(list[int])
    assert output_of(Ticket).schema is output_of(Ticket).schema
    assert output_of(adapter).schema is output_of(adapter).schema
    assert output_of(adapter).schema is not output_of(TypeAdapter(list[int])).schema


def test_nothing_keeps_a_model_that_nobody_else_needs() -> None:
    class Short(BaseModel):
        a: int

    reference = weakref.ref(Short)
    output_of(Short)
    del Short
    gc.collect()
    assert reference() is None


def test_nothing_keeps_an_adapter_that_nobody_else_needs() -> None:
    adapter = TypeAdapter(list[int])
    reference = weakref.ref(adapter)
    output_of(adapter)
    del adapter
    gc.collect()
    assert reference() is None


def test_an_output_keeps_its_type() -> None:
    class Short(BaseModel):
        a: int

    output = output_of(Short)
    del Short
    gc.collect()
    assert isinstance(output.reuse('{"a": 1}'), Answer)


def test_a_mapping_is_copied() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "integer"}}}
    output = output_of(schema)
    schema["properties"]["a"]["type"] = "string"
    assert isinstance(output.reuse('{"a": 1}'), Answer)
    properties: Mapping[str, Any] = output.schema["properties"]
    assert properties == {"a": {"type": "integer"}}


def test_no_exception_carries_what_was_validated() -> None:
    def check(value: str) -> str:
        raise ValueError(value)

    output = output_of(TypeAdapter(Annotated[str, AfterValidator(check)]))
    verdict = output.reuse('"SECRET"')
    assert isinstance(verdict, Rejection)
    assert "SECRET" not in verdict.reason and "SECRET" in verdict.feedback


def test_no_json_schema_library_without_a_mapping() -> None:
    code = (
        "import sys; from pydantic import BaseModel, TypeAdapter; "
        "from finalturn._response_format import output_of; "
        "A = type('A', (BaseModel,), {'__annotations__': {'a': int}}); output_of(A).reuse('{}'); "
        "output_of(TypeAdapter(int)); assert 'jsonschema' not in sys.modules; "
        "output_of({}); assert 'jsonschema' in sys.modules"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)}, timeout=120
    )
