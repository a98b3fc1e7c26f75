"""Somebody with a key who takes more than their part."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest

from finalturn import Agent
from finalturn.providers import OpenAIChat
from finalturn.serve import ServeConfig
from tests.providers._wire import delta
from tests.serve._agents import Held, chat, desk, plain
from tests.serve._asgi import Client
from tests.serve.threats._server import ALICE, BOB, SURFACES, problem, server

pytestmark = pytest.mark.anyio


async def test_too_many_turns_are_503() -> None:
    held = [Held(), Held()]
    app = server(desk(*(one.items for one in held)), config=ServeConfig(max_runs=2))
    alice = Client(app, ALICE)
    streams = [alice.open("POST", "/v1/chat/stream", json={"input": "x"}) for _ in held]
    for stream in streams:
        await stream.until(b"Wait")
    for surface in SURFACES:
        answer = await alice.send("POST", surface.path, json=surface.body())
        assert problem(answer) == (503, "overloaded")
        assert answer.header("retry-after") is not None
    for stream in streams:
        await stream.leave()
    # Who has gone makes room.
    await chat(Client(app, BOB))


async def test_one_session_runs_one_turn() -> None:
    held = Held()
    app = server(desk(held.items), config=ServeConfig(busy_timeout=0))
    alice = Client(app, ALICE)
    stream = alice.open("POST", "/v1/chat/stream", json={"input": "x", "session": "s1"})
    await stream.until(b"Wait")
    for surface in SURFACES:
        answer = await alice.send("POST", surface.path, json=surface.body())
        assert problem(answer) == (409, "session_busy")
    assert problem(await alice.send("DELETE", "/v1/sessions/s1")) == (409, "session_busy")
    held.go_on.set()
    assert (await stream.read()).records[-1]["type"] == "result"


async def test_a_session_does_not_grow_without_end() -> None:
    app = server(plain(), config=ServeConfig(max_session_messages=4))
    alice = Client(app, ALICE)
    for _ in range(2):
        await chat(alice, session="s1")
    for surface in SURFACES:
        answer = await alice.send("POST", surface.path, json=surface.body())
        assert b'"session_full"' in answer.body and answer.status == (200 if surface.streams else 409)
    assert (await alice.send("GET", "/v1/sessions/s1")).json["version"] == 2


async def given_to_nobody(buffer: int) -> int:
    """How many of 1,000 pieces a turn gives while its client reads nothing."""
    given: list[int] = []
    pieces: list[Any] = []
    for number in range(1_000):
        pieces += ["x" * 100, lambda number=number: given.append(number)]
    app = server(plain(pieces), config=ServeConfig(buffer=buffer, resume_for=0.0))
    stream = Client(app, ALICE).open("POST", "/v1/chat/stream", json={"input": "x"})
    stream.pause()
    other = Client(app, BOB)
    for _ in range(200):
        await other.send("GET", "/health")
    count = len(given)
    await stream.leave()
    assert len(given) - count < 5
    return count


async def test_a_client_that_reads_nothing_holds_the_turn_and_not_the_memory() -> None:
    # A piece is a record of more than 100 bytes.
    assert 0 < await given_to_nobody(buffer=10_000) <= 101
    assert await given_to_nobody(buffer=1_000_000) == 1_000


async def test_the_longest_list_is_bounded() -> None:
    alice = Client(server(), ALICE)
    for limit in ("0", "-1", "1001", "99999999999999999999", "1e3", "x", ""):
        answer = await alice.send("GET", f"/v1/sessions?limit={limit}")
        assert problem(answer) == (422, "invalid_request")


class Endless(httpx2.AsyncByteStream):
    """An answer that never ends, in pieces or as one line."""

    def __init__(self, first: bytes, piece: bytes) -> None:
        self.first = first
        self.piece = piece
        self.sent = 0

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        yield self.first
        while True:
            self.sent += len(self.piece)
            yield self.piece


@pytest.mark.parametrize("first", [b"", b"data: "], ids=["pieces", "one line"])
async def test_a_provider_that_sends_without_end_fails_its_own_turn(first: bytes) -> None:
    body = Endless(first, b"x" * 10_000 if first else delta("x" * 10_000))
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, stream=body))
    async with httpx2.AsyncClient(transport=transport) as client:
        model = OpenAIChat("m", base_url="http://x/v1", http_client=client, max_answer_bytes=100_000)
        answer = await Client(server(Agent(model)), ALICE).send("POST", "/v1/chat", json={"input": "x"})
    assert problem(answer) == (502, "provider_failed")
    assert body.sent < 500_000
