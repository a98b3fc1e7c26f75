"""Spans of served turns, over HTTP, whatever way a turn ends."""

from __future__ import annotations

import asyncio
import sys

import pytest
from fastapi import FastAPI
from opentelemetry.trace import StatusCode

from finalturn import Agent, ProviderError, Usage, tool
from finalturn._serve.problems.failure import SHUTTING_DOWN
from finalturn._serve.spans import traced
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app, create_router
from finalturn.sessions import InMemorySessions
from tests.otel._tracing import Spans, attributes, is_child
from tests.serve._agents import SECRET, desk
from tests.serve._asgi import Client, lifespan

pytestmark = pytest.mark.anyio

HI = {"input": "Where is my order A-17?"}


async def test_a_turn_is_a_tree_of_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    usage = Usage(input_tokens=20, cached_tokens=5, output_tokens=7, reasoning_tokens=2, total_tokens=27)
    answer = ["Let me look.", Scripted.call("lookup_order", {"number": "A-17"}, id="c-1"), usage]
    agent = desk(answer, "It left.", '{"topic":"delivery","urgent":false}', sessions=InMemorySessions())
    got = await Client(create_app(agent)).send("POST", "/v1/chat", json={**HI, "session": "s1"})

    turn = spans.one("invoke_agent")
    chats = [span for span in spans.all if span.name == "chat"]
    ran = spans.one("execute_tool lookup_order")
    assert len(chats) == 3
    assert all(is_child(span, turn) for span in (*chats, ran))
    assert attributes(turn) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "Scripted",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 5,
        "gen_ai.usage.reasoning.output_tokens": 2,
        "finalturn.run.id": got.json["run_id"],
        "finalturn.format": "whole",
        "finalturn.stop_reason": "completed",
        "finalturn.structured_status": "ok",
        "finalturn.model_calls": 3,
    }
    assert attributes(ran) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "lookup_order",
        "gen_ai.tool.call.id": "c-1",
        "gen_ai.tool.type": "function",
    }
    assert all(span.status.status_code is StatusCode.UNSET for span in spans.all)


async def test_the_owner_is_part_of_the_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    app = FastAPI()
    app.include_router(create_router(desk("Hi.", sessions=InMemorySessions()), authenticate=lambda _: "ann"))
    await Client(app).send("POST", "/v1/chat", json={**HI, "session": "s1"})
    assert attributes(spans.one("invoke_agent"))["gen_ai.conversation.id"] == "ann:s1"


async def test_the_trace_is_that_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    sent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    # FastAPI makes the request's own span of it, and that is the current one where the turn begins.
    app = create_app(desk("Hi."))
    await Client(app, {"traceparent": sent}).send("POST", "/v1/chat/stream", json=HI)
    turn = spans.one("invoke_agent")
    assert turn.parent is not None and not turn.parent.is_remote
    assert f"{turn.parent.trace_id:032x}" == sent.split("-")[1]


async def test_no_span_holds_what_was_said(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    call = Scripted.call("broken", {"number": "ARGUMENT"})
    agent = desk(["PROSE", Scripted.reasoning("THOUGHT"), call], ProviderError("FAILURE", detail="DETAIL"))
    await Client(create_app(agent)).send("POST", "/v1/chat/stream", json={"input": "QUESTION"})
    said = " ".join(span.to_json() for span in spans.all)
    for word in ("PROSE", "THOUGHT", "ARGUMENT", "FAILURE", "DETAIL", "QUESTION", SECRET, "Ticket"):
        assert word not in said
    assert "broken" in said and not any(span.events for span in spans.all)


async def test_a_failure_is_an_error_of_the_call_and_of_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    await Client(create_app(desk(ProviderError("down", status=503)))).send("POST", "/v1/chat/stream", json=HI)
    call, turn = spans.one("chat"), spans.one("invoke_agent")
    assert attributes(call)["error.type"] == "503"
    assert attributes(turn)["error.type"] == "provider_failed"
    for span in (call, turn):
        assert span.status.status_code is StatusCode.ERROR and span.status.description is None


async def test_a_client_that_leaves_ends_the_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    stream = Client(create_app(desk(["One", asyncio.Event().wait]))).open("POST", "/v1/chat/stream", json=HI)
    await stream.until(b"One")
    assert spans.all == []
    await stream.leave()
    assert [(span.name, attributes(span)["error.type"]) for span in spans.all] == [
        ("chat", "cancelled"),
        ("invoke_agent", "stopped"),
    ]


async def test_a_tool_that_is_running_when_the_turn_is_stopped_has_an_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spans = Spans(monkeypatch)
    started = asyncio.Event()

    @tool
    async def endless() -> str:
        """Never end."""
        started.set()
        await asyncio.Event().wait()
        return ""

    app = create_app(Agent(Scripted(Scripted.call("endless")), tools=[endless]))
    stream = Client(app).open("POST", "/v1/chat/stream", json=HI)
    await started.wait()
    await app.state.finalturn.runs.drain(0)
    await stream.read()
    assert attributes(spans.one("execute_tool endless"))["error.type"] == "cancelled"
    assert attributes(spans.one("invoke_agent"))["error.type"] == SHUTTING_DOWN.code


async def test_a_turn_outlives_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    spans, go_on = Spans(monkeypatch), asyncio.Event()
    app = create_app(
        desk(["One", go_on.wait, "two"], response_format=None), config=ServeConfig(resume_for=60)
    )
    async with lifespan(app):
        stream = Client(app).open("POST", "/v1/chat/stream", json=HI)
        await stream.until(b"One")
        await stream.leave()
        assert spans.all == []
        go_on.set()
        await app.state.finalturn.runs.drain(60)
    assert spans.names == ["chat", "invoke_agent"]
    assert is_child(spans.one("chat"), spans.one("invoke_agent"))


async def test_what_is_not_sampled_costs_no_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch, sampled=False)
    got = await Client(create_app(desk())).send("POST", "/v1/chat", json=HI)
    assert got.json["result"]["structured_status"] == "ok"
    assert spans.all == []


async def test_the_agent_itself_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    agent = desk()
    assert traced(agent) is not agent
    create_app(agent)
    assert (await agent.arun("hi")).structured_status == "ok"
    assert spans.all == []


async def test_without_the_api_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    agent = desk()
    assert traced(agent) is agent
    got = await Client(create_app(agent)).send("POST", "/v1/chat", json=HI)
    assert got.json["result"]["structured_status"] == "ok"
    assert spans.all == []
