"""The decorator, and the types that it keeps."""

from __future__ import annotations

import inspect
from typing import Any, assert_type

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._tools import Tool, tool


@tool
def bare(order: str, limit: int = 3) -> list[str]:
    """Look up."""
    return [order] * limit


@tool()
def called(order: str) -> str:
    return order


@tool(name="other", description="Other.", timeout=None, terminal=True)
async def configured(order: str) -> int:
    return len(order)


class Shop:
    @tool
    def sell(self, order: str) -> str:
        """Sell it."""
        return order + "!"

    @staticmethod
    @tool
    def static(order: str) -> str:
        return order

    @classmethod
    @tool
    def of(cls, order: str) -> str:
        return cls.__name__ + order


def test_without_parentheses() -> None:
    assert isinstance(bare, Tool)
    assert (bare.name, bare.description) == ("bare", "Look up.")
    assert assert_type(bare("x", limit=1), list[str]) == ["x"]


def test_with_parentheses() -> None:
    assert assert_type(called(order="x"), str) == "x"
    assert called.name == "called"


def test_options() -> None:
    found = (configured.name, configured.description, configured.timeout, configured.terminal)
    assert found == ("other", "Other.", None, True)


def test_a_function_and_options() -> None:
    assert tool(len_of, name="length").name == "length"


def len_of(order: str) -> int:
    return len(order)


def test_on_methods() -> None:
    sell = Shop().sell
    assert assert_type(sell("x"), str) == "x!"
    assert sell.spec.name == "sell"
    assert Shop.static.spec.name == "static"
    assert Shop.static("x") == "x"


def test_on_a_class_method() -> None:
    # A class method of a tool is the tool itself before Python 3.13, and a plain method after.
    of: Any = Shop.of
    decorate: Any = tool
    found: Any = decorate(of) if inspect.ismethod(of) else of
    assert isinstance(found, Tool)
    assert found.name == "of"
    assert list(found.spec.parameters["properties"]) == ["order"]
    assert found("x") == "Shopx"


def test_what_is_no_function() -> None:
    with pytest.raises(ConfigurationError, match="a tool is made of a function, not of a str"):
        tool("name")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
