"""Clients of a served agent: an application in memory, a URL, or a client of one's own."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, assert_type

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from finalturn import Agent, ConfigurationError, StreamError
from finalturn.providers import Scripted
from finalturn.serve import ApiKeys, ServeConfig, create_app, create_router, new_key
from finalturn.sessions import InMemorySessions
from finalturn.testing import (
    AsyncServedTurn,
    AsyncTurnClient,
    NativeRecord,
    ServedResult,
    ServedTurn,
    TurnClient,
    TurnProblem,
)
from tests.serve._agents import Ticket, desk, plain

pytestmark = pytest.mark.anyio

SENT = Ticket(topic="delivery", urgent=False)


def shown(record: NativeRecord) -> str | None:
    """What a person sees of a record."""
    if record["type"] == "chunk":
        return record["content"]
    if record["type"] == "tool_result":
        return record["tool_message"]["content"]
    return None


SHOWN = ["Let me look.", "Order A-17 left on Monday.", "It left on Monday."]


class TestRecords:
    def test_are_typed(self) -> None:
        with TurnClient(create_app(desk())) as client:
            turn = client.stream("Where is it?", response_format=Ticket)
            assert_type(turn, ServedTurn[Ticket])
            assert turn.run_id is None
            assert [text for text in map(shown, turn) if text] == SHOWN
            assert_type(turn.result, ServedResult[Ticket])
            assert turn.result.unwrap() == SENT
            assert turn.result.record["run_id"] == turn.run_id
            assert turn.unknown == ()

    async def test_are_typed_when_awaited(self) -> None:
        async with AsyncTurnClient(create_app(desk())) as client:
            turn = client.stream("Where is it?", response_format=TypeAdapter(Ticket))
            assert_type(turn, AsyncServedTurn[Ticket])
            assert [text async for record in turn if (text := shown(record))] == SHOWN
            assert turn.result.unwrap() == SENT

    def test_that_were_missed_are_sent_again(self) -> None:
        agent = Agent(Scripted(then=["Hel", "lo", "!"]))
        with TurnClient(create_app(agent, config=ServeConfig(resume_for=60))) as client:
            whole = [record["type"] for record in client.stream("Hi")]
            assert whole == ["run", "chunk", "chunk", "chunk", "result"]
            for after in range(1, len(whole)):
                turn = client.stream("Hi")
                kinds = [next(turn)["type"] for _ in range(after)]
                turn.lose_connection()
                kinds += [record["type"] for record in turn]
                assert kinds == whole
                assert turn.result.text == "Hello!"

    def test_that_are_not_kept_are_gone(self) -> None:
        with TurnClient(create_app(desk())) as client:
            turn = client.stream("Where is it?")
            next(turn)
            turn.lose_connection()
            with pytest.raises(TurnProblem) as caught:
                list(turn)
        assert caught.value.code == "not_found"


class TestResults:
    def test_are_what_a_turn_ends_with(self) -> None:
        with TurnClient(create_app(desk())) as client:
            assert_type(client.run("Where is it?", response_format=Ticket), ServedResult[Ticket])
            assert_type(client.run("Hello"), ServedResult[Any])

    async def test_are_awaited(self) -> None:
        async with AsyncTurnClient(create_app(desk())) as client:
            result = await client.run("Where is it?", response_format=Ticket)
            assert_type(result, ServedResult[Ticket])
            assert result.unwrap() == SENT
            assert (await client.run("Hello")).record["structured_status"] == "validation_failed"

    def test_are_kept_in_a_session(self) -> None:
        sessions = InMemorySessions()
        with TurnClient(create_app(plain(sessions=sessions))) as client:
            assert client.run("One", session="s-1").text == "Hello."
            assert client.run([{"role": "user", "content": "Two"}], session="s-1").text == "Hello again."

    def test_of_a_turn_that_failed_are_a_problem(self) -> None:
        app = create_app(Agent(Scripted(["Let me ", RuntimeError("secret")])))
        with TurnClient(app) as client:
            turn = client.stream("Hello")
            assert [record["type"] for record in turn] == ["run", "chunk", "error"]
            with pytest.raises(TurnProblem, match="internal_error") as caught:
                _ = turn.result
            assert caught.value.status is None


class TestServers:
    @pytest.fixture
    def keyed(self) -> tuple[Any, str]:
        key, line = new_key("ann")
        return create_app(plain(), keys=ApiKeys([line])), key

    def test_that_want_a_key(self, keyed: tuple[Any, str]) -> None:
        app, key = keyed
        with TurnClient(app, key=key) as client:
            assert client.run("Hello").text == "Hello."
        with TurnClient(app, key="wrong") as client, pytest.raises(TurnProblem) as caught:
            client.run("Hello")
        assert (caught.value.status, caught.value.code) == (401, "unauthorized")

    async def test_that_want_a_key_and_are_awaited(self, keyed: tuple[Any, str]) -> None:
        app, key = keyed
        async with AsyncTurnClient(app, key=key) as client:
            assert (await client.run("Hello")).text == "Hello."
        async with AsyncTurnClient(app) as client:
            with pytest.raises(TurnProblem, match="unauthorized"):
                await client.run("Hello")

    def test_that_have_the_agent_below_a_prefix(self) -> None:
        app = FastAPI()
        app.include_router(create_router(plain(), authenticate=None), prefix="/desk")
        with TurnClient(app, prefix="/desk") as client:
            assert client.run("Hello").text == "Hello."

    def test_say_what_is_wrong_with_a_request(self) -> None:
        wrong: Any = [{"role": "user"}, {"role": "system", "content": "x"}]
        with TurnClient(create_app(plain())) as client, pytest.raises(TurnProblem) as caught:
            client.run(wrong)
        assert caught.value.code == "invalid_request"
        assert caught.value.errors[0][0].startswith("/input")

    def test_may_be_a_client_that_stays_open(self) -> None:
        with TestClient(create_app(plain()), base_url="http://localhost") as own:
            with TurnClient(own) as client:
                assert client.run("Hello").text == "Hello."
            assert own.get("/health").status_code == 200

    async def test_may_be_an_asynchronous_client_that_stays_open(self) -> None:
        transport = httpx2.ASGITransport(create_app(plain()))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as own:
            async with AsyncTurnClient(own) as client:
                assert (await client.run("Hello")).text == "Hello."
            assert (await own.get("/health")).status_code == 200

    async def test_may_be_a_url(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []

        def answer(request: httpx2.Request) -> httpx2.Response:
            asked.append(f"{request.url} {json.loads(request.content)['input']}")
            return httpx2.Response(404)

        transport = httpx2.MockTransport(answer)
        monkeypatch.setattr(httpx2, "Client", partial(httpx2.Client, transport=transport))
        monkeypatch.setattr(httpx2, "AsyncClient", partial(httpx2.AsyncClient, transport=transport))
        with TurnClient("http://desk.example/a") as client, pytest.raises(TurnProblem):
            client.run("one")
        async with AsyncTurnClient("http://desk.example/a") as awaited:
            with pytest.raises(TurnProblem):
                await awaited.run("two")
        url = "http://desk.example/a/v1/chat/stream"
        assert asked == [f"{url} one", f"{url} two"]

    @pytest.mark.parametrize("server", [3, None, Agent, httpx2.AsyncClient()])
    def test_that_are_none_are_refused(self, server: Any) -> None:
        with pytest.raises(ConfigurationError, match="server must be an ASGI application"):
            TurnClient(server)

    @pytest.mark.parametrize("server", [3, None, Agent, httpx2.Client()])
    def test_that_are_none_are_refused_when_awaited(self, server: Any) -> None:
        with pytest.raises(ConfigurationError, match="server must be an ASGI application"):
            AsyncTurnClient(server)


class TestClients:
    async def test_are_used_in_their_block(self) -> None:
        with pytest.raises(StreamError, match=r"with TurnClient\(\.\.\.\)"):
            TurnClient(create_app(plain())).stream("Hello")
        with pytest.raises(StreamError, match=r"async with AsyncTurnClient"):
            AsyncTurnClient(create_app(plain())).stream("Hello")

    def test_refuse_what_is_no_format(self) -> None:
        with TurnClient(create_app(plain())) as client, pytest.raises(ConfigurationError):
            client.stream("Hello", response_format={"type": "nonsense"})
