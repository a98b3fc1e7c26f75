"""The agents that are measured."""

from __future__ import annotations

from pydantic import BaseModel

from finalturn import Agent, AgentResult, AgentStream, StructuredOutputConfig, tool
from finalturn.providers import OpenAIChat


class Ticket(BaseModel):
    """What a turn ends with."""

    topic: str
    urgent: bool
    days: int


@tool
async def lookup_order(order_id: str) -> dict[str, object]:
    """Look up an order."""
    return {"order_id": order_id, "status": "shipped", "weight": 3.2}


def prose_agent(url: str, *, hold: bool) -> Agent[Ticket]:
    """An agent whose turn is one model call: it is never asked for the object."""
    config = StructuredOutputConfig(
        final_turn_only=True, hold_json=hold, should_finalize=lambda messages, text: False
    )
    return Agent(OpenAIChat("bench", base_url=url), structured_output=config, response_format=Ticket)


def ticket_agent(url: str) -> Agent[Ticket]:
    """An agent whose turn has a tool call, text, and the object."""
    return Agent(
        OpenAIChat("bench", base_url=url),
        system_prompt="You are the support desk of a shop. Be brief and kind.",
        tools=[lookup_order],
        structured_output=StructuredOutputConfig(final_turn_only=True, hold_json=True),
        response_format=Ticket,
    )


async def read(stream: AgentStream[Ticket]) -> tuple[str, AgentResult[Ticket]]:
    """Read a turn as a program would that shows its text."""
    shown: list[str] = []
    async for item in stream:
        if isinstance(item, AgentResult):
            return "".join(shown), item
        if item.content:
            shown.append(item.content)
    raise AssertionError("a stream ends with its result")
