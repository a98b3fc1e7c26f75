from __future__ import annotations

from typing import Any

import anyio
import pytest
from anyio import wait_all_tasks_blocked

from finalturn import Message, SessionDamagedError, SessionError, SessionHistory, SessionSummary
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import Held, SlowSessions, chat, desk, plain
from tests.serve._asgi import Client

pytestmark = pytest.mark.anyio


async def test_a_session_is_read_as_a_client_may_see_it() -> None:
    client = Client(create_app(desk(sessions=InMemorySessions())))
    result = await chat(client, session="s")
    answer = await client.send("GET", "/v1/sessions/s")
    assert answer.status == 200 and answer.header("cache-control") == "no-store"
    assert answer.json == {"session": "s", "version": 1, "messages": result["messages"]}


async def test_what_was_never_written_to_is_not_found() -> None:
    client = Client(create_app(plain(sessions=InMemorySessions())))
    for method in ("GET", "DELETE"):
        answer = await client.send(method, "/v1/sessions/none")
        assert (answer.status, answer.json["code"]) == (404, "not_found")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_an_id_that_is_not_allowed(method: str) -> None:
    client = Client(create_app(plain(sessions=InMemorySessions())))
    answer = await client.send(method, "/v1/sessions/ann:s")
    assert (answer.status, answer.json["errors"][0]["field"]) == (400, "session")


async def test_pages() -> None:
    store = InMemorySessions()
    for name in ("a", "ann:x", "ann:y", "ann:z", "b", "bob:x", "c"):
        store.append(name, [Message.user("Hello")], 0)
    client = Client(create_app(plain(sessions=store)))
    first = (await client.send("GET", "/v1/sessions?limit=2")).json
    assert [one["session"] for one in first["sessions"]] == ["a", "b"]
    found = list(first["sessions"])
    page = first
    while page["next"] is not None:
        page = (await client.send("GET", f"/v1/sessions?limit=2&after={page['next']}")).json
        found += page["sessions"]
    assert [one["session"] for one in found] == ["a", "b", "c"]
    assert {one["version"] for one in found} == {1}
    assert all(one["updated"].endswith("+00:00") for one in found)


async def test_deleting() -> None:
    store = InMemorySessions()
    client = Client(create_app(plain(sessions=store)))
    await chat(client, session="s")
    assert (await client.send("DELETE", "/v1/sessions/s")).status == 204
    assert store.load("s").version == 0


async def test_a_session_that_is_being_saved_is_read_when_it_is() -> None:
    store = SlowSessions()
    client = Client(create_app(plain(sessions=store), config=ServeConfig(busy_timeout=60)))
    turn = client.open("POST", "/v1/chat", json={"input": "Hello", "session": "s"})
    await store.begun.wait()
    reading = client.open("GET", "/v1/sessions/s")
    await wait_all_tasks_blocked()
    assert not reading.ended
    store.go_on.set()
    assert (await reading.read()).json["version"] == 1
    assert (await turn.read()).status == 200


async def test_a_save_that_takes_long_keeps_nobody_from_reading() -> None:
    store = SlowSessions()
    client = Client(create_app(plain(sessions=store), config=ServeConfig(busy_timeout=0.01)))
    turn = client.open("POST", "/v1/chat", json={"input": "Hello", "session": "s"})
    await store.begun.wait()
    assert (await client.send("GET", "/v1/sessions/s")).status == 404
    store.go_on.set()
    assert (await turn.read()).status == 200


async def test_a_session_in_use_is_not_deleted() -> None:
    held = Held()
    app = create_app(plain(held.items, sessions=InMemorySessions()), config=ServeConfig(busy_timeout=0))
    client = Client(app)
    exchange = client.open("POST", "/v1/chat", json={"input": "Hello", "session": "s"})
    await held.started.wait()
    answer = await client.send("DELETE", "/v1/sessions/s")
    assert (answer.status, answer.json["code"]) == (409, "session_busy")
    held.go_on.set()
    assert (await exchange.read()).status == 200


class Down:
    """A store that cannot be reached."""

    def load(self, session: str, /) -> SessionHistory:
        raise SessionError("postgresql://admin:secret@db is down")

    def append(self, session: str, messages: object, version: int, /) -> None: ...

    def list_sessions(self, prefix: str, after: str, limit: int, /) -> list[object]:
        raise SessionError("postgresql://admin:secret@db is down")

    def delete(self, session: str, /) -> bool:
        raise SessionError("postgresql://admin:secret@db is down")


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/sessions"), ("GET", "/v1/sessions/s"), ("DELETE", "/v1/sessions/s")]
)
async def test_a_store_that_is_down(method: str, path: str) -> None:
    store: object = Down()
    client = Client(create_app(plain(), sessions=store))  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    answer = await client.send(method, path)
    assert (answer.status, answer.json["code"]) == (503, "session_unavailable")
    assert b"secret" not in answer.body


class LoadsOnly:
    """A store that can neither list nor delete."""

    def __init__(self) -> None:
        store = InMemorySessions()
        self.load = store.load
        self.append = store.append


async def test_a_store_without_a_catalog() -> None:
    client = Client(create_app(plain(sessions=LoadsOnly())))
    await chat(client, session="s")
    assert (await client.send("GET", "/v1/sessions/s")).status == 200
    assert (await client.send("GET", "/v1/sessions")).status == 404
    assert (await client.send("DELETE", "/v1/sessions/s")).status == 405


async def test_without_a_store_there_are_no_sessions() -> None:
    client = Client(create_app(plain()))
    assert (await client.send("GET", "/v1/sessions")).status == 404
    assert (await client.send("GET", "/v1/sessions/s")).status == 404


class Damaged(InMemorySessions):
    """What it holds is no conversation."""

    def load(self, session: str, /) -> SessionHistory:
        raise ValueError("SECRET")

    def list_sessions(self, prefix: str, after: str, limit: int, /) -> list[SessionSummary]:
        raise SessionDamagedError("session 's' is damaged")


class Silent(InMemorySessions):
    """It never answers."""

    session_timeout = 0.05

    async def _never(self, *_: object) -> Any:
        await anyio.Event().wait()

    load = list_sessions = delete = _never  # type: ignore[assignment]


async def test_a_damaged_session_is_not_tried_again() -> None:
    client = Client(create_app(plain(sessions=Damaged())))
    for answer in (
        await client.send("GET", "/v1/sessions/s"),
        await client.send("POST", "/v1/chat", json={"input": "Hello", "session": "s"}),
        await client.send("GET", "/v1/sessions"),
    ):
        told = answer.json
        assert (answer.status, told["code"], told["retryable"]) == (500, "session_damaged", False)
        assert b"SECRET" not in answer.body
    assert told["detail"].startswith("One of the sessions cannot be read")


async def test_a_store_that_does_not_answer_ends_each_request() -> None:
    client = Client(create_app(plain(sessions=Silent())))
    with anyio.fail_after(30):
        for method, target in (
            ("GET", "/v1/sessions"),
            ("GET", "/v1/sessions/s"),
            ("DELETE", "/v1/sessions/s"),
        ):
            answer = await client.send(method, target)
            told = answer.json
            assert (answer.status, told["code"], told["retryable"]) == (503, "session_unavailable", True)
