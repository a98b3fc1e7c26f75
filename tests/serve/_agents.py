"""Agents that the server's tests serve."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from finalturn import Agent, Message, StructuredOutputConfig, ToolError, tool
from finalturn._core.protocols import SessionHistory, SessionStore
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.serve._asgi import Client

FINAL = StructuredOutputConfig(final_turn_only=True)
SECRET = "sk-7f3a9c-SENTINEL"


class Ticket(BaseModel):
    """What a turn ends in."""

    topic: str
    urgent: bool


@tool
def lookup_order(number: str) -> str:
    """Look an order up."""
    return f"Order {number} left on Monday."


@tool
def broken(number: str) -> str:
    """Fail, with words that are not for clients."""
    raise RuntimeError(f"{SECRET} {number}")


@tool
def unlucky(number: str) -> str:
    """Fail, with words that are for clients."""
    raise ToolError(f"There is no order {number}.")


CALLS: tuple[Any, ...] = (
    ["Let me look.", Scripted.call("lookup_order", {"number": "A-17"})],
    "It left on Monday.",
    '{"topic":"delivery","urgent":false}',
)


def desk(*calls: Any, sessions: SessionStore | None = None, **parts: Any) -> Agent[Any]:
    """A support desk; without calls, one that looks an order up and makes a ticket."""
    return Agent(
        Scripted(*(calls or CALLS), then="Hello again."),
        tools=[lookup_order, broken, unlucky],
        response_format=parts.pop("response_format", Ticket),
        structured_output=parts.pop("structured_output", FINAL),
        sessions=sessions,
        **parts,
    )


def plain(*calls: Any, sessions: SessionStore | None = None, **parts: Any) -> Agent[None]:
    """An agent without a response_format."""
    return Agent(Scripted(*(calls or ("Hello.",)), then="Hello again."), sessions=sessions, **parts)


class Held:
    """A model call that says a word and then waits for the test.

    Attributes:
        started: the model has said the word.
        go_on: lets it go on.
        stopped: it was stopped while it waited.
    """

    def __init__(self, *then: Any) -> None:
        self.started = asyncio.Event()
        self.go_on = asyncio.Event()
        self.stopped = asyncio.Event()
        self.items: list[Any] = ["Wait", self._wait, *(then or (" is over.",))]

    async def _wait(self) -> None:
        self.started.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.stopped.set()
            raise


class SlowSessions:
    """A store that begins to save a turn, and then waits for the test.

    Attributes:
        begun: a turn is being saved.
        go_on: lets it be saved.
    """

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self._kept = InMemorySessions()

    async def load(self, session: str, /) -> SessionHistory:
        """Read a session."""
        return self._kept.load(session)

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        """Save a turn, when it may be."""
        self.begun.set()
        await self.go_on.wait()
        self._kept.append(session, messages, version)


async def chat(client: Client, input: Any = "Hello", **body: Any) -> Any:
    """The result of a turn."""
    answer = await client.send("POST", "/v1/chat", json={"input": input, **body})
    assert answer.status == 200, answer.body
    return answer.json["result"]
