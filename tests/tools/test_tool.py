"""The tool: what a model is told, and that it stays a function."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, assert_type

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import ToolCall
from finalturn._core.model import ToolSpec
from finalturn._tools import Tool
from finalturn._tools.arguments import ArgumentsError
from finalturn._tools.tool import prepare
from tests.tools._contexts import nobody_asks


def lookup(order: str, limit: int = 3) -> str:
    """Look up an order.

    At length.

    Args:
        order: Its number.
    """
    return order * limit


class Shop:
    """A shop."""

    def __init__(self, name: str) -> None:
        self.name = name

    def sell(self, order: str) -> str:
        """Sell it."""
        return f"{self.name} {order}"

    @classmethod
    def of(cls, order: str) -> str:
        return order

    sell_tool = Tool(sell)
    lookup_tool = Tool(lookup)

    def __call__(self, order: str) -> str:
        """Buy it."""
        return order


def test_what_a_model_is_told() -> None:
    tool = Tool(lookup)
    assert tool.spec == ToolSpec(
        "lookup",
        "Look up an order.",
        {
            "type": "object",
            "properties": {
                "order": {"type": "string", "description": "Its number."},
                "limit": {"type": "integer", "default": 3},
            },
            "required": ["order"],
            "additionalProperties": False,
        },
    )
    assert tool.parameters == tool.spec.parameters
    assert (tool.timeout, tool.terminal) == (60.0, False)


def test_what_is_said_wins() -> None:
    tool = Tool(lookup, name="find-it_2", description="Find.", timeout=None, terminal=True)
    assert (tool.name, tool.description, tool.timeout, tool.terminal) == ("find-it_2", "Find.", None, True)
    assert Tool(lookup, description="").description == ""
    assert repr(tool) == "<Tool 'find-it_2'>"


def test_it_stays_a_function() -> None:
    tool = Tool(lookup)
    assert tool("x", limit=2) == "xx"
    assert (tool.__name__, tool.__doc__) == ("lookup", lookup.__doc__)
    assert inspect.signature(tool) == inspect.signature(lookup)
    assert tool.__wrapped__ is lookup


def test_other_callables() -> None:
    partial: Tool[..., Any, Any] = Tool(functools.partial(lookup, limit=1))
    assert (partial.name, partial.description) == ("lookup", "Look up an order.")
    assert list(partial.parameters["properties"]) == ["order"]
    assert partial("x") == "x"
    machine = Tool(Shop("a"), name="buy")
    assert machine.description == "Buy it."
    assert machine("x") == "x"
    method = Tool(Shop("a").sell)
    assert method.spec.name == "sell"
    assert method("x") == "a x"


def test_a_method_is_the_tool_of_its_instance() -> None:
    shop = Shop("a")
    assert shop.sell_tool("x") == "a x"
    assert shop.sell_tool.spec == ToolSpec("sell", "Sell it.", Shop.sell_tool.parameters)
    assert Shop.sell_tool(shop, "x") == "a x"
    assert vars(Shop)["lookup_tool"] is shop.lookup_tool
    with pytest.raises(
        ConfigurationError, match=r"tool 'sell' is a method without an instance; .*'shop.sell'"
    ):
        _ = Shop.sell_tool.spec


def test_a_method_that_was_wrapped_is_bound_with_its_arguments() -> None:
    run = prepare(Shop("b").sell_tool, ToolCall("sell", {"order": "y"}), nobody_asks)
    assert run() == "b y"


@pytest.mark.parametrize("name", ["", "a b", "a.b", "é", "x" * 65, "a\n", 7])
def test_a_name_that_no_provider_takes(name: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"a tool's name is 1 to 64 of the characters .*name="):
        Tool(lookup, name=name)


def test_a_function_without_a_usable_name() -> None:
    nameless: Callable[[], None] = lambda: None  # noqa: E731
    with pytest.raises(ConfigurationError, match="not '<lambda>'; give it one with name="):
        Tool(nameless)
    assert Tool(nameless, name="nothing").name == "nothing"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), True, "5"])
def test_a_timeout_that_is_none(timeout: Any) -> None:
    with pytest.raises(ConfigurationError, match="tool lookup: timeout is a number of seconds above 0"):
        Tool(lookup, timeout=timeout)


def numbers() -> Any:
    yield 1


async def async_numbers() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("fn", "problem"),
    [
        (Tool(lookup), "'lookup' is a tool already; make another from its function"),
        (staticmethod(lookup), "tool lookup: put @staticmethod above @tool, not below"),
        (vars(Shop)["of"], "tool Shop.of: put @classmethod above @tool, not below"),
        ("lookup", "a tool is made of a function, not of a str"),
        (numbers, "tool numbers: it yields; collect what it yields and return it"),
        (async_numbers, "tool async_numbers: it yields; collect what it yields and return it"),
    ],
)
def test_what_is_no_function(fn: Any, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        Tool(fn)


def test_preparing_a_call() -> None:
    tool = Tool(lookup)
    assert prepare(tool, ToolCall("lookup", {"order": "x", "limit": 1}), nobody_asks)() == "x"
    with pytest.raises(ArgumentsError, match="- order: is missing"):
        prepare(tool, ToolCall("lookup"), nobody_asks)


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_no_arguments_at_all_are_an_empty_object(text: str) -> None:
    assert prepare(Tool(seven), ToolCall("seven", _text=text), nobody_asks)() == 7


def test_the_model_s_own_text_counts() -> None:
    call = ToolCall("same", {"id": 1}, _text='{"id":9007199254740993}')
    assert prepare(Tool(same), call, nobody_asks)() == 9007199254740993


def seven() -> int:
    return 7


def same(id: int) -> int:
    return id


def test_arguments_may_have_any_name() -> None:
    def odd(self: int, cls: int, func: int, fn: int, args: int, kwargs: int) -> list[int]:
        return [self, cls, func, fn, args, kwargs]

    tool = Tool(odd)
    arguments = {"self": 1, "cls": 2, "func": 3, "fn": 4, "args": 5, "kwargs": 6}
    assert prepare(tool, ToolCall("odd", arguments), nobody_asks)() == [1, 2, 3, 4, 5, 6]
    assert tool(self=1, cls=2, func=3, fn=4, args=5, kwargs=6) == [1, 2, 3, 4, 5, 6]


def test_arguments_that_cannot_be_written() -> None:
    class Broken(ToolCall):
        def arguments_json(self) -> str:
            raise RuntimeError("secret")

    with pytest.raises(ArgumentsError, match="- they cannot be read: RuntimeError"):
        prepare(Tool(lookup), Broken("lookup"), nobody_asks)


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"order": {"type": "string"}},
    "required": ["order"],
}


def keywords(**arguments: Any) -> dict[str, Any]:
    return arguments


def test_a_tool_from_a_schema() -> None:
    tool = Tool.from_schema("far_away", "Far.", SCHEMA, keywords, timeout=5, terminal=True)
    assert_type(tool, Tool[..., dict[str, Any], Any])
    assert tool.spec == ToolSpec("far_away", "Far.", SCHEMA)
    assert (tool.timeout, tool.terminal) == (5.0, True)
    assert prepare(tool, ToolCall("far_away", {"order": "x", "more": [1]}), nobody_asks)() == {
        "order": "x",
        "more": [1],
    }
    assert tool(order=1) == {"order": 1}
    with pytest.raises(ConfigurationError, match="a tool's name"):
        Tool.from_schema("a b", "", SCHEMA, keywords)
