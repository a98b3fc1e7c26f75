"""Arguments from a signature: their schema, and what is accepted."""

from __future__ import annotations

import contextlib
import datetime
import enum
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, AliasChoices, BaseModel, Field

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._tools.arguments import ArgumentsError, Values
from finalturn._tools.signature_arguments import SignatureArguments


class Colour(enum.Enum):
    RED = "red"


class Line(BaseModel):
    sku: str
    count: int = 1


class Opaque:
    pass


def of(fn: Callable[..., Any]) -> SignatureArguments:
    return SignatureArguments(fn, "fn")


def read(fn: Callable[..., Any], text: str) -> Values:
    return of(fn).read(text)


def problems(fn: Callable[..., Any], text: str) -> str:
    with pytest.raises(ArgumentsError) as caught:
        read(fn, text)
    return str(caught.value)


def test_the_schema() -> None:
    def fn(
        order: str, limit: Annotated[int, Field(ge=1, description="own")] = 3, exact: bool = False
    ) -> None:
        """Do.

        Args:
            order: Its number.
            limit: not used
        """

    assert of(fn).schema == {
        "type": "object",
        "properties": {
            "order": {"type": "string", "description": "Its number."},
            "limit": {"type": "integer", "minimum": 1, "description": "own", "default": 3},
            "exact": {"type": "boolean", "default": False},
        },
        "required": ["order"],
        "additionalProperties": False,
    }


def test_no_parameters() -> None:
    def fn() -> None: ...

    assert of(fn).schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert read(fn, "{}") == ((), {})


def test_a_property_named_title_stays() -> None:
    def fn(title: str) -> None: ...

    assert of(fn).schema["properties"] == {"title": {"type": "string"}}


def test_models_keep_their_definitions() -> None:
    def fn(line: Line) -> None:
        """Do.

        :param line: Which one.
        """

    found = of(fn)
    assert found.schema["properties"]["line"] == {"$ref": "#/$defs/Line", "description": "Which one."}
    assert found.read('{"line":{"sku":"a"}}').named == {"line": Line(sku="a")}


@pytest.mark.parametrize("default", [Opaque(), float("nan")])
def test_a_default_without_a_json_form_is_not_shown(default: Any) -> None:
    def fn(x: int = default) -> None: ...

    assert of(fn).schema["properties"] == {"x": {"type": "integer"}}
    assert read(fn, "{}").named == {}


def test_a_default_given_as_a_field() -> None:
    def fn(
        x: int = Field(3, ge=1),
        y: list[int] = Field(default_factory=list),  # noqa: B008
        z: str = Field(alias="zed"),
    ) -> None: ...

    found = of(fn)
    assert found.schema["required"] == ["zed"]
    assert found.schema["properties"]["x"] == {"type": "integer", "minimum": 1, "default": 3}
    assert found.read('{"zed":"q"}').named == {"x": 3, "y": [], "z": "q"}


def test_an_alias_is_described_under_its_json_name() -> None:
    def fn(order: Annotated[str, Field(alias="orderId")] = "x") -> None:
        """Do.

        Args:
            order: Its number.
        """

    found = of(fn)
    assert found.schema["properties"] == {
        "orderId": {"type": "string", "description": "Its number.", "default": "x"}
    }
    assert found.read('{"orderId":"7"}').named == {"order": "7"}


def test_an_alias_of_several_names() -> None:
    def fn(order: Annotated[str, Field(validation_alias=AliasChoices("a", "b"))] = "x") -> None: ...

    assert of(fn).schema["properties"] == {"a": {"type": "string"}}
    assert of(fn).read('{"b":"7"}').named == {"order": "7"}


def test_parameters_may_have_any_name() -> None:
    def fn(schema: int, self: int, model_config: int, _private: int, json: int, cls: int) -> None: ...

    text = '{"schema":1,"self":2,"model_config":3,"_private":4,"json":5,"cls":6}'
    assert read(fn, text).named == json_text.decode(text)


def test_positional_only_parameters() -> None:
    def fn(a: int, b: int = 2, c: int = 3, /, d: int = 4) -> None: ...

    assert read(fn, '{"a":1,"c":9}') == ((1, 2, 9), {})
    assert read(fn, '{"a":1,"d":5}') == ((1, 2, 3), {"d": 5})


def test_values_are_read_from_the_text() -> None:
    def fn(id: int, price: Decimal, day: datetime.date, colour: Colour, raw: Any) -> None: ...

    text = '{"id":9007199254740993,"price":0.10,"day":"2026-01-02","colour":"red","raw":9007199254740993}'
    assert read(fn, text).named == {
        "id": 9007199254740993,
        "price": Decimal("0.10"),
        "day": datetime.date(2026, 1, 2),
        "colour": Colour.RED,
        "raw": 9007199254740993,
    }


def test_the_last_of_a_repeated_key_counts_as_it_does_for_a_gate() -> None:
    def fn(path: str) -> None: ...

    text = '{"path":"a","path":"b"}'
    assert read(fn, text).named == json_text.decode(text) == {"path": "b"}


def test_problems_are_listed_in_words_for_the_model() -> None:
    def fn(order: str, limit: int, lines: list[Line]) -> None: ...

    assert problems(fn, '{"limit":"many","lines":[{"sku":"a","count":"x"},{}],"colour":"red"}') == (
        "- order: is missing\n"
        '- limit: Input should be a valid integer, unable to parse string as an integer (got "many")\n'
        '- lines[0].count: Input should be a valid integer, unable to parse string as an integer (got "x")\n'
        "- lines[1].sku: is missing\n"
        "- colour: is not an argument of this tool"
    )


def test_problems_are_bounded() -> None:
    def fn(numbers: list[int], text: Literal["a"]) -> None: ...

    text = json_text.encode({"numbers": ["x"] * 50, "text": "long" * 1000}).decode()
    found = problems(fn, text)
    assert found.endswith("\n- and more")
    assert len(found) < 2000
    found = problems(fn, json_text.encode({"numbers": [], "text": "long" * 1000}).decode())
    assert len(found) < 200


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('"foo"', "- the arguments: Input should be an object"),
        ("[1]", "- the arguments: Input should be an object"),
        ("null", "- the arguments: Input should be an object"),
        ('{"x":tr', "- the arguments: Invalid JSON"),
        ("[" * 100_000, "- the arguments: Invalid JSON"),
        ('{"x":%s}' % ("9" * 5000), "- the arguments: Invalid JSON"),
        ('{"x":NaN}', "- x: Input should be a finite number"),
        ('{"x":"NaN"}', "- x: Input should be a finite number"),
        ('{"x":1e999}', "- x: Input should be a finite number"),
        ('{"x":{"deep":1}}', "- x: Input should be a valid number"),
        ('{"x":1}{"x":1}', "- the arguments: Invalid JSON"),
    ],
)
def test_what_is_not_an_object_of_the_schema(text: str, problem: str) -> None:
    def fn(x: float) -> None: ...

    assert problems(fn, text).startswith(problem)


@pytest.mark.parametrize("kind", [RuntimeError, SystemExit, GeneratorExit])
def test_a_validator_that_fails(kind: type[BaseException]) -> None:
    def fail(value: int) -> int:
        raise kind("secret")

    def fn(x: Annotated[int, AfterValidator(fail)]) -> None: ...

    assert problems(fn, '{"x":1}') == f"- a validator failed: {kind.__name__}"


def test_an_interrupt_in_a_validator_is_raised() -> None:
    def fail(value: int) -> int:
        raise KeyboardInterrupt

    def fn(x: Annotated[int, AfterValidator(fail)]) -> None: ...

    with pytest.raises(KeyboardInterrupt):
        read(fn, '{"x":1}')


def test_a_type_without_a_json_form_is_named() -> None:
    def fn(fine: int, odd: Opaque) -> None: ...

    with pytest.raises(ConfigurationError, match=r"tool fn: the type of parameter 'odd' has no JSON form"):
        of(fn)

    def called(fine: int, odd: Callable[[int], int]) -> None: ...

    with pytest.raises(ConfigurationError, match=r"parameter 'odd' has no JSON form"):
        of(called)


def test_two_parameters_that_only_clash_together() -> None:
    def fn(a: Annotated[int, Field(alias="x")], b: Annotated[int, Field(alias="x")]) -> None: ...

    found = of(fn)
    assert list(found.schema["properties"]) == ["x"]


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ArgumentsError):
        assert set(FUZZED.read(text).named) <= {"x"}


def fuzzed(x: int = 1) -> None: ...


FUZZED = of(fuzzed)
