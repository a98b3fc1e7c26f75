"""The agent that is served to whoever attacks the API."""

from __future__ import annotations

from pydantic import BaseModel

from finalturn import Agent, ModelRequest, Role, StructuredOutputConfig, tool
from finalturn._core.protocols import SessionStore
from finalturn.providers import Scripted


class Order(BaseModel):
    """An order of a ticket."""

    number: str
    follows: Order | None = None


class Ticket(BaseModel):
    """What a turn ends in."""

    topic: str
    urgent: bool
    orders: list[Order]


ANSWER = '{"topic":"delivery","urgent":false,"orders":[{"number":"A-2","follows":{"number":"A-1"}}]}'


@tool
def lookup_order(number: str) -> str:
    """Look up an order."""
    return f"{number} has left."


def _answer(request: ModelRequest) -> list[object]:
    """A turn of three model calls: a tool, prose, the object. It thinks before each."""
    asked = max(place for place, one in enumerate(request.messages) if one.role is Role.USER)
    if request.call == 0:
        return [
            Scripted.reasoning("Which order? "),
            "Let me look. ",
            Scripted.call("lookup_order", {"number": "A-1"}),
        ]
    if any(one.role is Role.TOOL for one in request.messages[asked:]) and request.tools:
        return ["It has ", "left."]
    return [ANSWER]


def agent(sessions: SessionStore | None) -> Agent[Ticket]:
    """One whose turns call a tool, say something, and end in a ticket."""
    return Agent(
        Scripted(then=_answer),  # type: ignore[arg-type]
        tools=[lookup_order],
        response_format=Ticket,
        structured_output=StructuredOutputConfig(final_turn_only=True),
        sessions=sessions,
    )
