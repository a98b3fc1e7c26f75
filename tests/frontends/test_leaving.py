"""Clients that leave, come back, or ask for what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.serve import ApiKeys, ServeConfig, new_key
from finalturn.sessions import InMemorySessions
from tests.frontends._clients import Clients, Kind
from tests.frontends._scenes import CALL, FINAL, LINE_OF_CARD, TICKET, Ticket, lookup_order
from tests.frontends._server import SECONDS, Gate, serving, serving_app

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


@pytest.mark.parametrize("config", [ServeConfig(), ServeConfig(resume_for=SECONDS)], ids=["closed", "kept"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_message_right_after_a_stop_is_taken(clients: Clients, kind: Kind, config: ServeConfig) -> None:
    gate = Gate()
    times = 8
    waiting: list[list[Any]] = [[f"Wait {number}", gate.wait] for number in range(times)]
    model = Scripted(*waiting, then="Hello.")
    steps: list[dict[str, Any]] = []
    for number in range(times):
        steps += [{"say": "Where?"}, {"until": f"Wait {number}"}, {"stop": True}]
    agent: Agent[Any] = Agent(model)
    with serving(agent, gate=gate, sessions=InMemorySessions(), config=config) as url:
        seen = clients.drive(kind, url, *steps, {"say": "And now?"}, {"until": "Hello."})
    assert set(seen.statuses) <= {200, 204} and seen.statuses.count(200) == times + 1
    assert seen.last[-2:] == [("user", "And now?"), ("assistant", "Hello.")]
    assert model.abandoned == times


def test_two_pages_read_one_turn(clients: Clients) -> None:
    gate, reached = Gate(), Event()
    agent: Agent[Any] = Agent(Scripted(["Wait", reached.set, gate.wait, ", it left."]))
    config = ServeConfig(resume_for=SECONDS)
    with (
        serving(agent, gate=gate, sessions=InMemorySessions(), config=config) as url,
        ThreadPoolExecutor() as pool,
    ):
        first = pool.submit(clients.drive, "ai-sdk", url, {"say": "Where?"}, {"until": "it left."})
        assert reached.wait(SECONDS)
        again: list[dict[str, Any]] = [{"come_back": True}, {"until": "Wait"}, {"release": True}]
        second = clients.drive("ai-sdk", url, *again, {"until": "it left."})
        assert first.result().last == [("user", "Where?"), ("assistant", "Wait, it left.")]
    assert second.last == [("assistant", "Wait, it left.")]
    assert first.result().statuses == [200] and second.statuses == [404, 200]


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
    # Nothing is saved yet when the page comes back, what the user had said neither.
    assert seen.statuses == [200, 404, 200, 200]
    assert seen.last == [("assistant", "Wait, it left."), ("user", "Thanks."), ("assistant", "Hello.")]


def test_a_chat_without_a_turn_has_nothing_to_go_on_with(clients: Clients) -> None:
    config = ServeConfig(resume_for=SECONDS)
    agent: Agent[Any] = Agent(Scripted(then="Hello."))
    steps: list[dict[str, Any]] = [
        {"say": "Hi."},
        {"until": "Hello."},
        {"come_back": True},
        {"answers": 3},
        {"say": "Hi again."},
    ]
    with serving(agent, sessions=InMemorySessions(), config=config) as url:
        seen = clients.drive("ai-sdk", url, *steps)
    assert seen.statuses == [200, 200, 204, 200]
    assert seen.last == [
        ("user", "Hi."),
        ("assistant", "Hello."),
        ("user", "Hi again."),
        ("assistant", "Hello."),
    ]


def test_a_chat_that_is_loaded_again_has_what_was_said_and_goes_on(clients: Clients) -> None:
    gate = Gate()
    model = Scripted([CALL], "It left.", TICKET, TICKET, ["Wait", gate.wait, ", it left."], TICKET)
    agent: Agent[Any] = Agent(model, tools=[lookup_order], response_format=Ticket, structured_output=FINAL)
    steps: list[dict[str, Any]] = [
        {"say": "Where?"},
        {"until": "delivery"},
        {"say": "Again?"},
        {"say": "And now?"},
        {"until": "Wait"},
        {"come_back": True},
        {"until": "Wait"},
        {"release": True},
    ]
    config = ServeConfig(resume_for=SECONDS)
    with serving(agent, gate=gate, sessions=InMemorySessions(), config=config) as url:
        seen = clients.drive("ai-sdk", url, *steps)
    assert seen.last == [
        ("user", "Where?"),
        ("assistant", "It left."),
        LINE_OF_CARD,
        ("user", "Again?"),
        LINE_OF_CARD,
        ("assistant", "Wait, it left."),
        LINE_OF_CARD,
    ]


def test_the_stop_button_stops_a_turn_that_would_go_on(clients: Clients) -> None:
    gate = Gate()
    config = ServeConfig(resume_for=SECONDS)
    steps: list[dict[str, Any]] = [{"say": "Where?"}, {"until": "Wait"}, {"stop": True}, {"answers": 2}]
    with serving(waiting(gate), gate=gate, sessions=InMemorySessions(), config=config) as url:
        seen = clients.drive("ai-sdk", url, *steps)
        # The server does not stop it by itself before the test is over.
        assert gate.stopped.is_set()
    assert seen.statuses == [200, 204]
    assert seen.last == [("user", "Where?"), ("assistant", "Wait")]


@pytest.mark.parametrize("kind", ["ag-ui", "ai-sdk"])
def test_a_key_is_sent_with_each_request(clients: Clients, kind: Kind) -> None:
    key, line = new_key("ann")
    agent: Agent[Any] = Agent(Scripted(then="Hello."))
    steps: list[dict[str, Any]] = [{"say": "Hi."}, {"until": "Hello."}]
    with serving(agent, keys=ApiKeys([line.split()])) as url:
        seen = clients.drive(kind, url, *steps, key=key)
    assert seen.statuses == [200]


@pytest.mark.parametrize("kind", KINDS)
def test_a_proxy_without_its_server_leaves_the_page_usable(clients: Clients, kind: Kind) -> None:
    async def no_server(request: Request) -> Response:
        return HTMLResponse("<h1>502 Bad Gateway</h1>", 502)

    anywhere = Starlette(routes=[Route("/{path:path}", no_server, methods=["POST"])])
    with serving_app(anywhere) as url:
        # A message is sent only when the page has come to rest.
        seen = clients.drive(kind, url, {"say": "Hi."}, {"say": "Hi again."}, may_complain=True)
    assert seen.statuses == [502, 502]
    assert ("user", "Hi again.") in seen.last
    assert seen.last[-1][0] == "error"


@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_of_the_server_is_seen(clients: Clients, kind: Kind) -> None:
    agent: Agent[Any] = Agent(Scripted(then="Hello."))
    with serving(agent, sessions=InMemorySessions()) as url:
        seen = clients.drive(kind, url, {"say": "Hi."}, chat="not a session", may_complain=True)
    assert seen.statuses == [400]
    asked, (kind_of_line, text) = seen.last
    assert asked == ("user", "Hi.")
    assert kind_of_line == "error" and text.startswith(f"/{FIELDS[kind]}: must be ")
