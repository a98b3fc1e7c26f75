"""Text of what a tool returned or raised."""

from __future__ import annotations

import datetime
import enum
import types
from collections import ChainMap, UserString, deque
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from finalturn._core import json_text
from finalturn._core.errors import ToolError
from finalturn._tools.result_text import error_text, to_text


class Word(enum.StrEnum):
    A = "a"


class OldWord(str, enum.Enum):  # noqa: UP042
    A = "a"


class Colour(enum.Enum):
    RED = "red"


class Ticket(BaseModel):
    model_config = ConfigDict(serialize_by_alias=True)
    text: str = Field(alias="t")
    day: datetime.date = datetime.date(2026, 1, 2)


@dataclass
class Point:
    x: int
    label: str = "p"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("", ""),
        ("null", "null"),
        ("plain {text}", "plain {text}"),
        (Word.A, "a"),
        (OldWord.A, "a"),
        (UserString("u"), "u"),
        (True, "true"),
        (7, "7"),
        (10**30, "1" + "0" * 30),
        (1.5, "1.5"),
        (float("nan"), "null"),
        ({"a": float("inf")}, '{"a":null}'),
        ([], "[]"),
        ({"a": [1, None, "b"]}, '{"a":[1,null,"b"]}'),
        ((1, "x"), '[1,"x"]'),
        (Ticket(t="é"), '{"t":"é","day":"2026-01-02"}'),
        ([Point(1), Ticket(t="x")], '[{"x":1,"label":"p"},{"t":"x","day":"2026-01-02"}]'),
        (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC), '"2026-01-02T03:04:00Z"'),
        (Decimal("0.10"), '"0.10"'),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        (Path("a"), '"a"'),
        (Colour.RED, '"red"'),
        (b"bytes", '"bytes"'),
        (deque([1]), "[1]"),
        (types.MappingProxyType({"a": 1}), '{"a":1}'),
        (ChainMap({"a": 1}), '{"a":1}'),
        ({"a": 1}.keys(), '["a"]'),
        ({"a": 1}.values(), "[1]"),
        (range(3), "[0,1,2]"),
        ([UserString("u")], '["u"]'),
    ],
)
def test_returned(value: Any, text: str) -> None:
    assert to_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\ud800b", "a\ufffdb"),
        (["\ud800"], '["\ufffd"]'),
        ({"k\ud800": ("\udfff", 1)}, '{"k\ufffd":["\ufffd",1]}'),
        (Point(1, "\ud800"), '{"x":1,"label":"\ufffd"}'),
        ({"a": {"b": Point(1, "\ud800")}, 1: float("nan")}, '{"a":{"b":{"x":1,"label":"\ufffd"}},"1":null}'),
        (UserString("\ud800"), "\ufffd"),
    ],
)
def test_half_a_surrogate_pair_is_replaced(value: Any, text: str) -> None:
    assert to_text(value) == text


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize(
    "value", [object(), [object()], b"\xff", Ticket, endless(), memoryview(b"a"), ValueError()]
)
def test_what_has_no_json_form(value: Any) -> None:
    problem = f"The tool returned a {type(value).__name__} that has no JSON form"
    with pytest.raises(ToolError, match=problem) as caught:
        to_text(value)
    assert caught.value.__cause__ is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values.filter(lambda value: value is not None and not isinstance(value, str)))
def test_json_comes_back(value: Any) -> None:
    assert json_text.decode(to_text(value)) == value


@given(st.text(st.characters()))
def test_any_string_can_be_sent(text: str) -> None:
    assert to_text(text).encode().decode() == to_text(text)
    assert to_text([text]).encode()


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("No such order."), "No such order."),
        (ToolError(), "The tool failed."),
        (ValueError("bad"), "ValueError: bad"),
        (ValueError(), "ValueError"),
        (ValueError("half \ud800"), "ValueError: half \ufffd"),
        (SystemExit(3), "SystemExit: 3"),
        (Unspeakable(), "Unspeakable"),
        (ExceptionGroup("g", [ToolError("a"), ExceptionGroup("h", [KeyError("b")])]), "a; KeyError: 'b'"),
        (BaseExceptionGroup("g", [GeneratorExit()]), "GeneratorExit"),
        (ExceptionGroup("g", [ToolError("x")] * 9), "x; x; x; x; x"),
    ],
)
def test_raised(error: BaseException, text: str) -> None:
    assert error_text(error) == text
