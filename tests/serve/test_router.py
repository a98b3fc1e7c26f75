from __future__ import annotations

import asyncio

import pytest
from anyio import wait_all_tasks_blocked
from fastapi import FastAPI
from starlette.requests import Request

from finalturn import ConfigurationError
from finalturn.serve import ServeConfig, create_app, create_router
from finalturn.sessions import InMemorySessions
from tests.serve._agents import Held, SlowSessions, chat, desk, plain
from tests.serve._asgi import Client, lifespan

pytestmark = pytest.mark.anyio

RESUME = ServeConfig(resume_for=60)


def who(request: Request) -> str | None:
    return request.headers.get("x-user")


async def test_the_native_stream() -> None:
    answer = await Client(create_app(desk())).send("POST", "/v1/chat/stream", json={"input": "Where is it?"})
    assert [record["type"] for record in answer.records] == [
        "run",
        "chunk",
        "tool_call",
        "tool_result",
        "chunk",
        "event",
        "result",
    ]
    assert answer.records[-1]["parsed"] == {"topic": "delivery", "urgent": False}


async def test_in_an_application_of_ones_own() -> None:
    app = FastAPI()
    router = create_router(plain(), authenticate=who, sessions=InMemorySessions())
    app.include_router(router, prefix="/assistant")
    async with lifespan(app):
        ann, bob = Client(app, {"x-user": "ann"}), Client(app, {"x-user": "bob"})
        answer = await ann.send("POST", "/assistant/v1/chat", json={"input": "Hello", "session": "s"})
        assert answer.status == 200
        assert (await ann.send("GET", "/assistant/v1/sessions/s")).status == 200
        assert (await bob.send("GET", "/assistant/v1/sessions/s")).status == 404
        assert (await Client(app).send("GET", "/assistant/v1/sessions/s")).status == 401
        assert (await Client(app).send("GET", "/assistant/health")).status == 200
        document = (await ann.send("GET", "/assistant/openapi.json")).json
        assert document["servers"] == [{"url": "/assistant"}]


async def test_mounted_without_its_lifespan_it_works_too() -> None:
    app = FastAPI()
    app.mount("/inner", create_app(plain()))
    answer = await Client(app).send("POST", "/inner/v1/chat", json={"input": "Hello"})
    assert answer.json["result"]["content"] == "Hello."


async def test_a_lost_connection_is_resumed_where_it_broke() -> None:
    held = Held(" is", " over.")
    client = Client(create_app(plain(held.items, sessions=InMemorySessions()), config=RESUME))
    exchange = client.open("POST", "/v1/chat/stream", json={"input": "Hello", "session": "s"})
    await exchange.until(b"Wait")
    await exchange.leave()
    path = f"/v1/chat/stream/{exchange.answer.header('x-run-id')}"
    held.go_on.set()
    resumed = await client.send("GET", f"{path}?session=s", headers={"last-event-id": "2"})
    records = exchange.answer.records + resumed.records
    assert [record["type"] for record in records] == ["run", "chunk", "chunk", "chunk", "result"]
    again = await client.send("GET", f"{path}?session=s")
    assert again.records == records
    for query in ("", "?session=other"):
        assert (await client.send("GET", path + query)).status == 404


@pytest.mark.parametrize("given", ["x", "-1", "1.0", "٣", "1" * 20])
async def test_a_malformed_event_id(given: str) -> None:
    client = Client(create_app(plain(), config=RESUME))
    answer = await client.send("GET", "/v1/chat/stream/x", headers={"last-event-id": given.encode()})
    assert (answer.status, answer.json["errors"][0]["field"]) == (400, "Last-Event-ID")


async def test_an_event_that_is_not_there_yet_or_any_more() -> None:
    client = Client(create_app(plain(), config=RESUME))
    answer = await client.send("POST", "/v1/chat/stream", json={"input": "Hello"})
    path = f"/v1/chat/stream/{answer.header('x-run-id')}"
    gone = await client.send("GET", path, headers={"last-event-id": "99"})
    assert (gone.status, gone.json["code"]) == (410, "records_gone")


async def test_stopping_a_turn() -> None:
    held = Held()
    client = Client(create_app(plain(held.items), config=RESUME))
    exchange = client.open("POST", "/v1/chat/stream", json={"input": "Hello"})
    await exchange.until(b"Wait")
    path = f"/v1/chat/stream/{exchange.answer.header('x-run-id')}"
    assert (await client.send("DELETE", path)).status == 204
    assert held.stopped.is_set()
    assert (await exchange.read()).records[-1]["code"] == "stopped"
    assert (await client.send("DELETE", path)).status == 404
    assert (await client.send("GET", path)).status == 404


@pytest.mark.parametrize("config", [RESUME, ServeConfig()], ids=["kept", "not kept"])
async def test_a_turn_that_is_being_saved_ends_with_its_result(config: ServeConfig) -> None:
    store = SlowSessions()
    client = Client(create_app(plain(sessions=store), config=config))
    body = {"input": "Hello", "session": "s"}
    exchange = client.open("POST", "/v1/chat/stream", json=body)
    await store.begun.wait()
    path = f"/v1/chat/stream/{exchange.answer.header('x-run-id')}?session=s"
    stopping = client.open("DELETE", path)
    await wait_all_tasks_blocked()
    assert not stopping.ended
    store.go_on.set()
    assert (await stopping.read()).status == 204
    assert (await exchange.read()).records[-1]["type"] == "result"
    assert (await store.load("s")).version == 1


async def test_a_turn_can_be_stopped_where_none_can_be_resumed() -> None:
    held = Held()
    client = Client(create_app(plain(held.items)))
    exchange = client.open("POST", "/v1/chat/stream", json={"input": "Hello"})
    await exchange.until(b"Wait")
    path = f"/v1/chat/stream/{exchange.answer.header('x-run-id')}"
    assert (await client.send("GET", path)).status == 404
    assert (await client.send("DELETE", path)).status == 204
    assert held.stopped.is_set()
    assert (await exchange.read()).records[-1]["code"] == "stopped"


async def test_without_resume_there_is_nothing_to_come_back_to() -> None:
    client = Client(create_app(plain()))
    assert (await client.send("GET", "/v1/chat/stream/x")).status == 404


async def test_a_second_turn_of_a_session() -> None:
    held = Held()
    config = ServeConfig(busy_timeout=0)
    client = Client(create_app(plain(held.items, sessions=InMemorySessions()), config=config))
    first = client.open("POST", "/v1/chat/stream", json={"input": "Hello", "session": "s"})
    await first.until(b"Wait")
    second = await client.send("POST", "/v1/chat/stream", json={"input": "Hello", "session": "s"})
    assert (second.status, second.json["code"]) == (409, "session_busy")
    held.go_on.set()
    await first.read()
    assert (await chat(client, session="s"))["content"] == "Hello again."


async def test_stopping_the_server_lets_turns_end() -> None:
    held = Held()
    app = create_app(plain(held.items))
    client = Client(app)
    async with lifespan(app):
        exchange = client.open("POST", "/v1/chat/stream", json={"input": "Hello"})
        await exchange.until(b"Wait")
        drain = asyncio.create_task(app.state.finalturn.runs.drain(60))
        await asyncio.sleep(0)
        health = await client.send("GET", "/health")
        assert (health.status, health.json) == (503, {"status": "draining"})
        refused = await client.send("POST", "/v1/chat", json={"input": "Hello"})
        assert (refused.status, refused.header("retry-after")) == (503, "1")
        held.go_on.set()
        assert (await exchange.read()).records[-1]["type"] == "result"
        await drain


async def test_what_is_still_running_then_is_stopped() -> None:
    held = Held()
    app = create_app(plain(held.items), config=ServeConfig(drain_timeout=0))
    async with lifespan(app):
        exchange = Client(app).open("POST", "/v1/chat/stream", json={"input": "Hello"})
        await exchange.until(b"Wait")
    assert held.stopped.is_set()
    assert (await exchange.read()).records[-1]["code"] == "shutting_down"


def test_authenticate_must_be_said() -> None:
    with pytest.raises(TypeError):
        create_router(plain())  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    with pytest.raises(ConfigurationError):
        create_router("agent", authenticate=None)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
