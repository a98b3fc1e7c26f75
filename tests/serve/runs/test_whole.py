from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import AfterValidator, TypeAdapter

from finalturn import ProviderError
from finalturn._core.protocols import SessionStore
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import SECRET, Held, desk, plain
from tests.serve._asgi import Client

pytestmark = pytest.mark.anyio


async def test_a_turn_as_one_document() -> None:
    answer = await Client(create_app(desk())).send("POST", "/v1/chat", json={"input": "Where is it?"})
    assert answer.status == 200
    assert answer.header("content-type") == "application/json"
    assert answer.header("cache-control") == "no-store"
    assert answer.json["run_id"] == answer.header("x-run-id")
    assert answer.json["session"] is None
    assert answer.json["result"]["parsed"] == {"topic": "delivery", "urgent": False}


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ProviderError(SECRET, retryable=True), 502, "provider_failed"),
        (ValueError(SECRET), 500, "internal_error"),
    ],
)
async def test_a_turn_that_fails(error: Exception, status: int, code: str) -> None:
    app = create_app(plain(["Hel", error]))
    answer = await Client(app).send("POST", "/v1/chat", json={"input": "Hello"})
    assert (answer.status, answer.json["code"]) == (status, code)
    assert SECRET.encode() not in answer.body
    assert answer.header("content-type") == "application/problem+json"


async def test_a_turn_stops_with_its_client_also_where_streams_go_on() -> None:
    held = Held()
    app = create_app(plain(held.items), config=ServeConfig(resume_for=60))
    exchange = Client(app).open("POST", "/v1/chat", json={"input": "Hello"})
    await held.started.wait()
    await exchange.leave()
    assert held.stopped.is_set()
    assert len(app.state.finalturn.runs) == 0


def huge(number: int) -> int:
    return int(10 ** (5000 + number))


async def test_a_result_that_has_no_json_form() -> None:
    store = InMemorySessions()
    number = TypeAdapter(Annotated[int, AfterValidator(huge)])
    agent = desk("1", response_format=number, sessions=store)
    body = {"input": "Hello", "session": "s"}
    answer = await Client(create_app(agent)).send("POST", "/v1/chat", json=body)
    assert answer.status == 200
    found = answer.json["result"]
    assert (found["parsed"], found["structured_status"], found["content"]) == (None, "ok", "1")
    assert found["parsed_error"].startswith("the value has no JSON form")
    # The turn is paid for, and is kept.
    assert [message.structured for message in store.load("s").messages] == [None, "1"]


class Lost:
    """A store that loses the race for every turn."""

    def __init__(self) -> None:
        self.store: SessionStore = InMemorySessions()
        self.load = self.store.load

    def append(self, session: str, messages: object, version: int, /) -> None:
        other = InMemorySessions()
        other.append(session, [], 0)
        other.append(session, [], 0)


async def test_a_turn_whose_session_was_changed_meanwhile() -> None:
    answer = await Client(create_app(plain(), sessions=Lost())).send(
        "POST", "/v1/chat", json={"input": "Hello", "session": "s"}
    )
    assert (answer.status, answer.json["code"], answer.json["retryable"]) == (409, "session_conflict", True)
