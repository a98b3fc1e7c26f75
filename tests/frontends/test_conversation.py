"""What clients hold of a turn, and send with the next, is what the model must know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from finalturn import Agent, Message, Role, SessionStore
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.frontends._clients import Clients, Kind
from tests.frontends._scenes import (
    CALL,
    COMBINED,
    FINAL,
    LINE_OF_CARD,
    LINE_OF_TOOL,
    SINGLE,
    TICKET,
    Ticket,
    lookup_order,
)
from tests.frontends._server import serving

pytestmark = pytest.mark.frontends

KINDS: list[Kind] = ["ag-ui", "ai-sdk"]
FIRST: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "reuse": ([[CALL], TICKET], {}),
    "reuse at once": ([TICKET], {}),
    "synthesis": ([["Let me look.", CALL], "It left.", TICKET], {}),
    "single pass": ([TICKET], {"structured_output": SINGLE}),
}


def told(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """What a model is told, without spaces of JSON."""
    return [
        (str(one.role), compact(one.content or one.structured or ""))
        for one in messages
        if one.role is not Role.SYSTEM
    ]


def compact(text: str) -> str:
    return text.replace('": ', '":').replace(", ", ",")


def converse(
    clients: Clients, kind: Kind, first: str, sessions: SessionStore | None
) -> tuple[Scripted, list[tuple[str, str]]]:
    script, parts = FIRST[first]
    provider = Scripted(*script, TICKET, capabilities=COMBINED)
    made: dict[str, Any] = {"response_format": Ticket, "structured_output": FINAL, **parts}
    agent: Agent[Any] = Agent(provider, tools=[lookup_order], **made)
    steps = [{"say": "Where is A-17?"}, {"until": "delivery"}, {"say": "And now?"}]
    with serving(agent, sessions=sessions) as url:
        seen = clients.drive(kind, url, *steps)
    assert seen.statuses == [200, 200]
    return provider, seen.last


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", FIRST)
def test_without_sessions_the_client_tells_what_was_said(clients: Clients, kind: Kind, first: str) -> None:
    provider, last = converse(clients, kind, first, None)
    said = [TICKET]
    if first == "synthesis":
        # The AI SDK has one message for a turn.
        said = ["Let me look.", "It left."] if kind == "ag-ui" else ["Let me look.\n\nIt left."]
    assert told(provider.requests[-1].messages) == [
        ("user", "Where is A-17?"),
        *(("assistant", compact(text)) for text in said),
        ("user", "And now?"),
    ]
    assert last[-2:] == [("user", "And now?"), LINE_OF_CARD]
    assert (LINE_OF_TOOL in last) == (len(FIRST[first][0]) > 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", FIRST)
def test_in_a_session_the_server_knows_what_was_said(clients: Clients, kind: Kind, first: str) -> None:
    sessions = InMemorySessions()
    provider, _ = converse(clients, kind, first, sessions)
    kept = sessions.load("chat-1").messages
    users = [one.content for one in kept if one.role is Role.USER]
    assert users == ["Where is A-17?", "And now?"]
    assert told(provider.requests[-1].messages) == told(kept)[:-1]
