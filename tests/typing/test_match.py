"""The documented ``match`` covers everything that a stream yields."""

from __future__ import annotations

import json
from typing import assert_never, assert_type

import pytest

from finalturn import Agent, AgentResult, PartialObject, StreamChunk, StructuredOutputConfig, ToolCall, tool
from finalturn.providers import Scripted
from tests.typing._models import ANSWER, FINAL, Ticket

pytestmark = pytest.mark.anyio


@tool
def look(order: str) -> str:
    """Looks an order up."""
    return f"order {order}"


def kind_of(item: StreamChunk | AgentResult[Ticket]) -> str:
    """What the documentation shows, written out."""
    match item:
        case StreamChunk(event="structured_synthesis_start"):
            return "synthesis"
        case StreamChunk(event="structured_reuse"):
            return "reuse"
        case StreamChunk(tool_calls=[_, *_] as calls):
            first: ToolCall = calls[0]
            return f"call {first.name}"
        case StreamChunk(partial=PartialObject() as partial):
            assert_type(partial, PartialObject)
            assert_type(item.partial, PartialObject | None)
            return f"partial {partial.value}"
        case StreamChunk(content=str(text)) if text:
            return f"text {text}"
        case AgentResult(parsed=ticket):
            assert_type(ticket, Ticket | None)
            return f"result {ticket.topic if ticket else None}"
        case StreamChunk():
            return "other"
        case _:
            assert_never(item)


async def test_every_case_is_reached() -> None:
    calls = [Scripted.reasoning("hm"), "Look. ", Scripted.call("look", {"order": "A"})]
    agent = Agent(
        Scripted(calls, "Done.", ANSWER, ANSWER),
        tools=[look],
        structured_output=FINAL,
        response_format=Ticket,
    )
    expected = ["other", "text Look. ", "call look", "other", "text Done.", "synthesis", "result order"]
    assert [kind_of(item) async for item in agent.astream("go")] == expected
    growing = StructuredOutputConfig(final_turn_only=True, partial_objects=True)
    filling = Agent(Scripted("Done.", ANSWER), structured_output=growing, response_format=Ticket)
    *_, partial, _ = [kind_of(item) for item in filling.stream("go")]
    assert partial == f"partial {json.loads(ANSWER)}"
    reused = [kind_of(item) for item in agent.stream("go")]
    assert reused == [f"text {ANSWER}", "reuse", "result order"]
