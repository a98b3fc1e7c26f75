"""Whether the server lives, and whether it can take a turn."""

from __future__ import annotations

import asyncio
import logging

import pytest

from finalturn import SessionError, SessionHistory
from finalturn._serve.formats.schemas_answers import Health
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import plain
from tests.serve._asgi import Client
from tests.serve._valid import check

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Store(InMemorySessions):
    """It answers when the test lets it.

    Attributes:
        answers: whether it does.
        asked: what it was asked for.
    """

    def __init__(self) -> None:
        super().__init__()
        self.answers = asyncio.Event()
        self.answers.set()
        self.asked: list[str] = []
        self.error: Exception | None = None

    async def load(self, session: str, /) -> SessionHistory:  # type: ignore[override]
        self.asked.append(session)
        await self.answers.wait()
        if self.error is not None:
            raise self.error
        return SessionHistory()


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def client(store: Store, monkeypatch: pytest.MonkeyPatch) -> Client:
    # An answer is not good for any longer, and nobody waits for long.
    monkeypatch.setattr("finalturn._serve.health._GOOD_FOR", -1.0)
    monkeypatch.setattr("finalturn._serve.health._PATIENCE", 0.05)
    return Client(create_app(plain(sessions=store)))


async def ready(client: Client) -> tuple[int, str]:
    answer = await client.send("GET", "/health")
    check(Health, answer.json)
    return answer.status, answer.json["status"]


async def test_a_server_without_sessions_is_ready() -> None:
    client = Client(create_app(plain()))
    assert await ready(client) == (200, "ok")
    assert (await client.send("HEAD", "/health")).status == 200


async def test_a_server_is_ready_while_its_store_answers(client: Client, store: Store) -> None:
    assert await ready(client) == (200, "ok")
    store.answers.clear()
    for _ in range(3):
        assert await ready(client) == (503, "session_unavailable")
        # It lives all the same.
        assert (await client.send("GET", "/health/live")).json == {"status": "ok"}
    assert len(store.asked) == 2
    store.answers.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await ready(client) == (200, "ok")


async def test_a_store_that_fails_is_not_ready(client: Client, store: Store) -> None:
    for store.error in (SessionError("down"), OSError(5, "gone"), ValueError("damaged")):
        assert await ready(client) == (503, "session_unavailable")
    store.error = None
    assert await ready(client) == (200, "ok")


async def test_the_log_says_once_why_it_is_not_ready(
    client: Client, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "finalturn.serve")
    for store.error in (SessionError("the disk is full"), SessionError("the disk is full"), None, None):
        await ready(client)
    said = [one for one in caplog.records if one.message != "request"]
    assert [one.message for one in said] == ["the sessions do not answer", "the sessions answer again"]
    assert vars(said[0])["reason"] == "the disk is full"


async def test_a_store_is_asked_once_for_all_who_ask() -> None:
    store = Store()
    client = Client(create_app(plain(sessions=store)))
    answers = await asyncio.gather(*(ready(client) for _ in range(20)))
    assert answers == [(200, "ok")] * 20
    assert len(store.asked) == 1


async def test_what_it_asks_for_is_nobodys_session(client: Client, store: Store) -> None:
    await ready(client)
    # A client's id has no colon, and the name of an owner has none either.
    assert store.asked[0].count(":") == 2


async def test_a_server_that_drains_is_not_ready(store: Store) -> None:
    app = create_app(plain(sessions=store), config=ServeConfig(drain_timeout=0))
    await app.state.finalturn.runs.drain(0)
    assert await ready(Client(app)) == (503, "draining")
    assert not store.asked
