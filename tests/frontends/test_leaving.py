"""Clients that leave, come back, or ask for what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig
from finalturn.sessions import InMemorySessions
from tests.frontends._clients import Clients, Kind
from tests.frontends._server import SECONDS, Gate, serving

pytestmark = pytest.mark.frontends

KINDS: list[Kind] = ["ag-ui", "ai-sdk", "native"]
FIELDS = {"ag-ui": "threadId", "ai-sdk": "id", "native": "session"}


def waiting(gate: Gate) -> Agent[Any]:
    return Agent(Scripted(["Wait", gate.wait, ", it left."], then="Hello."))


@pytest.mark.parametrize("kind", KINDS)
def test_the_stop_button_stops_the_model(clients: Clients, kind: Kind) -> None:
    gate = Gate()
    with serving(waiting(gate), gate=gate) as url:
        steps: list[dict[str, Any]] = [{"say": "Where?"}, {"until": "Wait"}, {"stop": True}]
        seen = clients.drive(kind, url, *steps, chat="" if kind == "native" else "chat-1")
        assert gate.stopped.wait(SECONDS)
    assert seen.last == [("user", "Where?"), ("assistant", "Wait")]


def test_a_chat_that_is_loaded_again_goes_on(clients: Clients) -> None:
    gate = Gate()
    config = ServeConfig(resume_for=SECONDS)
    steps: list[dict[str, Any]] = [
        {"say": "Where?"},
        {"until": "Wait"},
        {"come_back": True},
        {"until": "Wait"},
        {"release": True},
        {"until": "it left."},
        {"say": "Thanks."},
        {"until": "Hello."},
    ]
    with serving(waiting(gate), gate=gate, sessions=InMemorySessions(), config=config) as url:
        seen = clients.drive("ai-sdk", url, *steps)
    assert seen.statuses == [200, 200, 200]
    # The page keeps nothing of its own: what the user had said is in the session.
    assert seen.last == [("assistant", "Wait, it left."), ("user", "Thanks."), ("assistant", "Hello.")]


def test_a_chat_without_a_turn_has_nothing_to_go_on_with(clients: Clients) -> None:
    config = ServeConfig(resume_for=SECONDS)
    agent: Agent[Any] = Agent(Scripted(then="Hello."))
    steps: list[dict[str, Any]] = [
        {"say": "Hi."},
        {"until": "Hello."},
        {"come_back": True},
        {"answers": 2},
        {"say": "Hi again."},
    ]
    with serving(agent, sessions=InMemorySessions(), config=config) as url:
        seen = clients.drive("ai-sdk", url, *steps)
    assert seen.statuses == [200, 204, 200]
    assert seen.last == [("user", "Hi again."), ("assistant", "Hello.")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_of_the_server_is_seen(clients: Clients, kind: Kind) -> None:
    agent: Agent[Any] = Agent(Scripted(then="Hello."))
    with serving(agent, sessions=InMemorySessions()) as url:
        seen = clients.drive(kind, url, {"say": "Hi."}, chat="not a session", may_complain=True)
    assert seen.statuses == [400]
    asked, (kind_of_line, text) = seen.last
    assert asked == ("user", "Hi.")
    assert kind_of_line == "error" and text.startswith(f"/{FIELDS[kind]}: must be ")
