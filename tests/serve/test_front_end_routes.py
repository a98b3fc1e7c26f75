"""The routes of front ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked

from finalturn import Agent
from finalturn._serve.access.keys import new_key
from finalturn._serve.formats.items import Content, Ended, RunStarted
from finalturn.providers import Scripted
from finalturn.serve import ApiKeys, ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import Held, desk, plain
from tests.serve._asgi import Client
from tests.serve.ag_ui._decode import decode as decode_ag_ui
from tests.serve.ai_sdk._decode import decode as decode_ai_sdk

pytestmark = pytest.mark.anyio

LASTS = ServeConfig(resume_for=60)


def ag_ui(text: str = "Hello", thread: str = "t1") -> dict[str, Any]:
    message = {"id": "u1", "role": "user", "content": text}
    return {"threadId": thread, "runId": "r1", "messages": [message]}


def ai_sdk(text: str = "Hello", chat: str = "c1") -> dict[str, Any]:
    message = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": text}]}
    return {"id": chat, "trigger": "submit-message", "messages": [message]}


def body_of(path: str, session: str | None) -> dict[str, Any]:
    if path.startswith("/v1/"):
        return {"input": "Hello"} | ({} if session is None else {"session": session})
    return (ag_ui if path == "/ag-ui" else ai_sdk)("Hello", session or "none")


def records_of(body: bytes) -> list[Any]:
    events = body.decode("ascii").removesuffix("\n\n").split("\n\n")
    data = [event.partition("\ndata: ")[2] for event in events]
    return [one if one == "[DONE]" else json.loads(one) for one in data]


async def test_a_turn_for_an_ag_ui_client() -> None:
    answer = await Client(create_app(desk())).send("POST", "/ag-ui", json=ag_ui())
    assert (answer.status, answer.header("content-type")) == (200, "text/event-stream; charset=utf-8")
    records = records_of(answer.body)
    assert (records[0]["threadId"], records[0]["runId"]) == ("t1", "r1")
    first, *_, last = decode_ag_ui(records)
    assert first == RunStarted(answer.header("x-run-id") or "", None)
    assert isinstance(last, Ended) and last.result["parsed"] == {"topic": "delivery", "urgent": False}


async def test_a_turn_for_a_client_of_the_ai_sdk() -> None:
    answer = await Client(create_app(desk())).send("POST", "/ai-sdk", json=ai_sdk())
    assert (answer.status, answer.header("content-type")) == (200, "text/event-stream; charset=utf-8")
    assert answer.header("x-vercel-ai-ui-message-stream") == "v1"
    first, *_, last = decode_ai_sdk(records_of(answer.body))
    assert first == RunStarted(answer.header("x-run-id") or "", None)
    assert isinstance(last, Ended) and last.result["parsed"] == {"topic": "delivery", "urgent": False}


@pytest.mark.parametrize(("path", "body"), [("/ag-ui", ag_ui(thread="s1")), ("/ai-sdk", ai_sdk(chat="s1"))])
async def test_each_conversation_is_a_session(path: str, body: dict[str, Any]) -> None:
    sessions = InMemorySessions()
    client = Client(create_app(plain(), sessions=sessions))
    for _ in range(2):
        assert (await client.send("POST", path, json=body)).status == 200
    kept = sessions.load("s1").messages
    assert [one.content for one in kept] == ["Hello", "Hello.", "Hello", "Hello again."]


@pytest.mark.parametrize(("path", "body"), [("/ag-ui", ag_ui()), ("/ai-sdk", ai_sdk())])
async def test_a_session_has_one_turn_at_a_time(path: str, body: dict[str, Any]) -> None:
    held = Held()
    config = ServeConfig(busy_timeout=0)
    client = Client(create_app(plain(held.items), sessions=InMemorySessions(), config=config))
    exchange = client.open("POST", path, json=body)
    await held.started.wait()
    answer = await client.send("POST", path, json=body)
    assert (answer.status, answer.json["code"]) == (409, "session_busy")
    await exchange.leave()
    assert held.stopped.is_set()


WRONG: list[tuple[str, Any, str]] = [
    ("/ag-ui", {"runId": "r1", "messages": []}, "/threadId"),
    ("/ag-ui", {**ag_ui(), "messages": {}}, "/messages"),
    ("/ag-ui", {**ag_ui(), "messages": [1]}, "/messages/0"),
    ("/ag-ui", {**ag_ui(), "messages": [{"role": "user", "content": "x"}]}, "/messages/0/id"),
    ("/ai-sdk", {"id": "c1"}, "/messages"),
    ("/ai-sdk", {**ai_sdk(), "messages": [{"role": "user"}]}, "/messages/0/parts"),
    ("/ai-sdk", {**ai_sdk(), "trigger": "x"}, "/trigger"),
    ("/ai-sdk", {**ai_sdk(), "messages": [{"role": "x", "parts": []}]}, "/messages/0/role"),
]


@pytest.mark.parametrize(("path", "body", "field"), WRONG)
async def test_a_wrong_field_is_named(path: str, body: Any, field: str) -> None:
    answer = await Client(create_app(plain())).send("POST", path, json=body)
    assert answer.status == 422
    assert [one["field"] for one in answer.json["errors"]] == [field]


async def test_without_a_key_nothing_is_told() -> None:
    _, line = new_key("ann")
    client = Client(create_app(plain(), keys=ApiKeys([line.split()])))
    for method, path in (("POST", "/ag-ui"), ("POST", "/ai-sdk"), ("GET", "/ai-sdk/c1/stream")):
        assert (await client.send(method, path)).status == 401


async def test_a_chat_goes_on_from_its_start() -> None:
    held = Held()
    client = Client(create_app(plain(held.items), sessions=InMemorySessions(), config=LASTS))
    first = client.open("POST", "/ai-sdk", json=ai_sdk())
    await first.until(b"Wait")
    again = client.open("GET", "/ai-sdk/c1/stream")
    await again.until(b"Wait")
    held.go_on.set()
    answer = await again.read()
    assert answer.header("x-vercel-ai-ui-message-stream") == "v1"
    items = decode_ai_sdk(records_of(answer.body))
    assert [one.text for one in items if isinstance(one, Content)] == ["Wait", " is over."]
    # Whoever has read it before reads on.
    assert records_of((await first.read()).body) == records_of(answer.body)


@pytest.mark.parametrize("path", ["/ag-ui", "/ai-sdk", "/v1/chat/stream", "/v1/chat"])
async def test_a_message_waits_for_the_turn_before_it_to_end(path: str) -> None:
    held = Held()
    client = Client(create_app(plain(held.items), sessions=InMemorySessions()))
    first = client.open("POST", path, json=body_of(path, "c1"))
    await held.started.wait()
    second = client.open("POST", path, json=body_of(path, "c1"))
    await wait_all_tasks_blocked()
    assert second.answer.status == 0
    await first.leave()
    assert held.stopped.is_set()
    answer = await second.read()
    assert answer.status == 200 and b"Hello again." in answer.body


@pytest.mark.parametrize("path", ["/ai-sdk", "/v1/chat/stream"])
async def test_a_turn_that_nobody_reads_gives_way(path: str) -> None:
    held = Held()
    sessions = InMemorySessions()
    client = Client(create_app(plain(held.items), sessions=sessions, config=LASTS))
    first = client.open("POST", path, json=body_of(path, "c1"))
    await held.started.wait()
    await first.leave()
    assert not held.stopped.is_set()
    answer = await client.send("POST", path, json=body_of(path, "c1"))
    assert answer.status == 200 and b"Hello again." in answer.body
    assert held.stopped.is_set() and sessions.load("c1").version == 1


@pytest.mark.parametrize("path", ["/ai-sdk", "/v1/chat/stream"])
async def test_a_post_that_is_sent_again_goes_on_with_its_turn(path: str) -> None:
    held = Held()
    model = Scripted(held.items)
    client = Client(create_app(Agent(model), sessions=InMemorySessions(), config=LASTS))
    first = client.open("POST", path, json=body_of(path, "c1"))
    await first.until(b"Wait")
    await first.leave()
    again = client.open("POST", path, json=body_of(path, "c1"), headers={"last-event-id": "1"})
    await again.until(b"Wait")
    held.go_on.set()
    answer = await again.read()
    assert answer.body.startswith(b"id: 2\n") and b"is over" in answer.body
    assert answer.header("x-run-id") == first.answer.header("x-run-id")
    assert (answer.header("x-vercel-ai-ui-message-stream") == "v1") == (path == "/ai-sdk")
    # When it has ended too, for as long as it is kept.
    later = await client.send("POST", path, json=body_of(path, "c1"), headers={"last-event-id": "2"})
    assert later.body == answer.body.partition(b"\n\n")[2]
    assert len(model.requests) == 1


@pytest.mark.parametrize("path", ["/ag-ui", "/ai-sdk", "/v1/chat/stream"])
@pytest.mark.parametrize("config", [LASTS, ServeConfig()], ids=["kept", "not kept"])
@pytest.mark.parametrize("keeps", [True, False], ids=["session", "alone"])
async def test_a_post_that_is_sent_again_begins_no_second_turn(
    path: str, config: ServeConfig, keeps: bool
) -> None:
    model = Scripted(then="Hello.")
    sessions = InMemorySessions() if keeps else None
    client = Client(create_app(Agent(model), sessions=sessions, config=config))
    body = body_of(path, "c1" if keeps or path != "/v1/chat/stream" else None)
    assert (await client.send("POST", path, json=body)).status == 200
    resumed = keeps and config is LASTS and path != "/ag-ui"
    other = body_of(path, "c2" if keeps or path != "/v1/chat/stream" else None)
    for sent in (other,) if resumed else (body, other):
        answer = await client.send("POST", path, json=sent, headers={"last-event-id": "1"})
        assert (answer.status, answer.json["code"]) == (410, "records_gone")
        assert "Last-Event-ID" in answer.json["detail"]
    wrong = await client.send("POST", path, json=body, headers={"last-event-id": "x"})
    assert (wrong.status, wrong.json["errors"][0]["field"]) == (400, "Last-Event-ID")
    assert len(model.requests) == 1


@pytest.mark.parametrize("config", [LASTS, ServeConfig()], ids=["kept", "not kept"])
async def test_a_chat_without_a_turn_has_nothing_to_go_on_with(config: ServeConfig) -> None:
    client = Client(create_app(plain(), sessions=InMemorySessions(), config=config))
    assert (await client.send("POST", "/ai-sdk", json=ai_sdk())).status == 200
    answer = await client.send("GET", "/ai-sdk/c1/stream")
    assert (answer.status, answer.body) == (204, b"")


@pytest.mark.parametrize("path", ["/ag-ui", "/v1/chat/stream"])
async def test_a_turn_in_another_format_is_none_of_the_chat(path: str) -> None:
    held = Held()
    client = Client(create_app(plain(held.items), sessions=InMemorySessions(), config=LASTS))
    body = ag_ui(thread="c1") if path == "/ag-ui" else {"input": "Hello", "session": "c1"}
    running = client.open("POST", path, json=body)
    await running.until(b"Wait")
    assert (await client.send("GET", "/ai-sdk/c1/stream")).status == 204
    held.go_on.set()
    await running.read()


async def test_the_turn_of_somebody_else_is_none_of_theirs() -> None:
    held = Held()
    made = {name: new_key(name) for name in ("ann", "bob")}
    keys = ApiKeys([line.split() for _, line in made.values()])
    app = create_app(plain(held.items), keys=keys, sessions=InMemorySessions(), config=LASTS)
    ann, bob = (Client(app, {"authorization": f"Bearer {key}"}) for key, _ in made.values())
    running = ann.open("POST", "/ai-sdk", json=ai_sdk())
    await running.until(b"Wait")
    assert (await bob.send("GET", "/ai-sdk/c1/stream")).status == 204
    again = ann.open("GET", "/ai-sdk/c1/stream")
    await again.until(b"Wait")
    held.go_on.set()
    await again.read()


async def test_a_turn_whose_start_is_gone_is_not_sent_by_halves() -> None:
    held = Held()
    config = ServeConfig(resume_for=60, buffer=10)
    client = Client(create_app(plain(held.items), sessions=InMemorySessions(), config=config))
    running = client.open("POST", "/ai-sdk", json=ai_sdk())
    await running.until(b"Wait")
    assert (await client.send("GET", "/ai-sdk/c1/stream")).status == 204
    held.go_on.set()
    await running.read()


async def test_a_chat_id_that_is_none() -> None:
    client = Client(create_app(plain(), sessions=InMemorySessions(), config=LASTS))
    answer = await client.send("GET", "/ai-sdk/a%20b/stream")
    assert (answer.status, answer.json["errors"][0]["field"]) == (400, "chat_id")


async def test_a_turn_that_nobody_can_come_back_to_stops_with_its_client() -> None:
    for path, body in (("/ag-ui", ag_ui()), ("/ai-sdk", ai_sdk())):
        held = Held()
        app = create_app(plain(held.items), config=ServeConfig(resume_for=60))
        exchange = Client(app).open("POST", path, json=body)
        await held.started.wait()
        await exchange.leave()
        assert held.stopped.is_set() and len(app.state.finalturn.runs) == 0


async def test_a_turn_of_ag_ui_stops_with_its_client_in_a_session_too() -> None:
    held = Held()
    app = create_app(plain(held.items, sessions=InMemorySessions()), config=ServeConfig(resume_for=60))
    exchange = Client(app).open("POST", "/ag-ui", json=ag_ui(thread="s1"))
    await held.started.wait()
    await exchange.leave()
    assert held.stopped.is_set()


async def test_a_chat_of_the_ai_sdk_is_stopped_by_its_id() -> None:
    held = Held()
    app = create_app(plain(held.items, sessions=InMemorySessions()), config=ServeConfig(resume_for=60))
    client = Client(app)
    exchange = client.open("POST", "/ai-sdk", json=ai_sdk(chat="s1"))
    await held.started.wait()
    assert (await client.send("DELETE", "/ai-sdk/other/stream")).status == 204
    assert not held.stopped.is_set()
    assert (await client.send("DELETE", "/ai-sdk/s1/stream")).status == 204
    assert held.stopped.is_set()
    assert records_of((await exchange.read()).body)[-2:] == [
        {"type": "error", "errorText": "The turn was stopped."},
        "[DONE]",
    ]
    assert (await client.send("DELETE", "/ai-sdk/s1/stream")).status == 204
    assert (await client.send("DELETE", "/ai-sdk/a:b/stream")).status == 400
