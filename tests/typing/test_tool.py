"""``@tool`` keeps the signature of what it decorates."""

from __future__ import annotations

from typing import Any, assert_type

import pytest

from finalturn import Agent, Tool, tool
from finalturn.providers import Scripted

pytestmark = pytest.mark.anyio


@tool
def look(order: str, times: int = 1) -> list[str]:
    """Looks an order up."""
    return [order] * times


@tool(name="look_later", timeout=5, terminal=True)
async def later(order: str) -> str:
    """Looks an order up."""
    return order


async def test_a_tool_is_called_as_its_function() -> None:
    assert_type(look("A", times=2), list[str])
    assert look("A", times=2) == ["A", "A"]
    assert_type(await later("A"), str)
    assert await later("A") == "A"


def test_it_is_a_tool_of_an_agent() -> None:
    tools: list[Tool[..., Any]] = [look, later]
    assert Agent(Scripted("done"), tools=tools).run("go").content == "done"
    assert Agent(Scripted("done"), tools=[look, later]).run("go").content == "done"
    assert Agent(Scripted("done"), tools=(look,)).run("go").content == "done"
