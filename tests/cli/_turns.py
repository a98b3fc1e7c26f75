"""Turns to show: the items of streams, by what the model does."""

from __future__ import annotations

import io
from typing import Any, cast

from pydantic import BaseModel

from finalturn import Agent, AgentResult, StreamChunk, StructuredOutputConfig, ToolCall, tool
from finalturn._cli.view import Item, Transcript
from finalturn.providers import Scripted

OBJECT = '{"topic": "kettle", "urgent": true}'
COMPACT = '{"topic":"kettle","urgent":true}'
FINAL = StructuredOutputConfig(final_turn_only=True, max_validation_retries=0)


class Ticket(BaseModel):
    topic: str
    urgent: bool


@tool
def lookup(order: str) -> str:
    """Look an order up."""
    return f"{order} is on its way"


@tool
def fail(order: str) -> str:
    """Always fails."""
    raise ValueError("no such order")


LOOKUP = Scripted.call("lookup", {"order": "A1"})
FAIL = Scripted.call("fail", {"order": "B"})


def items_of(*calls: Any, config: StructuredOutputConfig = FINAL, plain: bool = False) -> list[Item]:
    """All that a turn's stream gives when the model calls answer this."""
    agent: Agent[Any] = Agent(
        Scripted(*calls),
        tools=[lookup, fail],
        response_format=cast("Any", None if plain else Ticket),
        structured_output=StructuredOutputConfig() if plain else config,
    )
    return list(agent.stream("Where is my order?"))


def nested_items() -> list[Item]:
    """A turn in which an agent shows what it does for two calls; the second fails."""
    inner = Agent(
        Scripted([Scripted.reasoning("hm"), "Let me ", "look. ", LOOKUP], "It is coming.", "{}", OBJECT),
        tools=[lookup],
        response_format=Ticket,
        structured_output=StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False),
    )
    asks = [ToolCall("ask", {"task": task}, task) for task in ("one", "two")]
    agent = Agent(Scripted([*asks], "Done."), tools=[inner.as_tool("ask", "Asks.", show=True)])
    return list(agent.stream("Where is my order?"))


def transcripts(items: list[Item], begin: Transcript | None = None) -> list[Transcript]:
    """The transcript before the first item, and after each."""
    found = [begin or Transcript.of("Where is my order?", answer="Ticket")]
    for item in items:
        found.append(found[-1].after(item))
    return found


def shown(items: list[Item]) -> str:
    """All content that a stream gave."""
    return "".join(item.content for item in items if isinstance(item, StreamChunk))


def result_of(items: list[Item]) -> AgentResult[Any]:
    """What a stream ended with."""
    result = items[-1]
    assert isinstance(result, AgentResult)
    return result


class Pipe(io.TextIOWrapper):
    """A stream that keeps what is written to it."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = False) -> None:
        self._bytes = io.BytesIO()
        self._terminal = terminal
        super().__init__(self._bytes, encoding=encoding, errors="replace", write_through=True, newline="")

    def isatty(self) -> bool:
        return self._terminal

    @property
    def text(self) -> str:
        self.flush()
        return self._bytes.getvalue().decode(self.encoding)
