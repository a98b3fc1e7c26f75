"""Agents that run as tools of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

from finalturn import (
    Agent,
    AgentResult,
    AgentStream,
    Message,
    StreamChunk,
    ToolCall,
    Usage,
    tool,
)
from finalturn.providers import Scripted

SPENT = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
OUTER = Usage(input_tokens=1, output_tokens=1, total_tokens=2)

Shown = pytest.mark.parametrize("show", [False, True], ids=["hidden", "shown"])


class Finding(BaseModel):
    """What was found."""

    answer: int
    unit: str = "m"


@dataclass
class User:
    """Who is asking."""

    name: str


def ask(place: int = 0, task: str = "find it", name: str = "ask") -> ToolCall:
    return ToolCall(name, {"task": task}, f"c{place}")


def outer_of(inner: Agent[Any, Any], *calls: Any, show: bool = False, **parts: Any) -> Agent[Any, Any]:
    """An agent that asks another once, and then says so."""
    asked = calls or ([ask(), OUTER], ["done", OUTER])
    made = inner.as_tool("ask", "Finds things out.", show=show, **parts.pop("tool", {}))
    return Agent(Scripted(*asked), tools=[made, *parts.pop("tools", ())], **parts)


def tool_messages(result: AgentResult[Any]) -> list[Message]:
    return [message for message in result.messages if message.tool_name is not None]


async def read(stream: AgentStream[Any]) -> tuple[list[StreamChunk], AgentResult[Any]]:
    chunks = [item async for item in stream if isinstance(item, StreamChunk)]
    return chunks, stream.result


@tool
def echo(text: str) -> str:
    """Says it again."""
    return text
