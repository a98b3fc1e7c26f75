"""Spans of turns and of their model calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from finalturn import (
    Agent,
    Capabilities,
    Limits,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelSettings,
    ProviderError,
    TextDelta,
    Usage,
)
from finalturn.otel import OpenTelemetryObserver
from finalturn.providers import Fallback, Scripted
from tests.otel._tracing import Spans, attributes, is_child, play
from tests.serve._agents import Ticket

pytestmark = pytest.mark.anyio

NATIVE = Capabilities(native_schema=True)


async def test_a_span_says_what_was_asked_but_not_in_what_words(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    settings = ModelSettings(temperature=0.5, top_p=0.9, max_tokens=100, seed=7, stop=["STOP"])
    await play(Agent(Scripted("Hi."), settings=settings, system_prompt="SYSTEM"))
    found = dict(attributes(spans.one("chat")))
    assert found.pop("gen_ai.response.time_to_first_chunk") >= 0
    assert found == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "Scripted",
        "gen_ai.request.stream": True,
        "gen_ai.request.temperature": 0.5,
        "gen_ai.request.top_p": 0.9,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.seed": 7,
        "gen_ai.response.finish_reasons": ("stop",),
        "finalturn.call": 0,
    }


async def test_a_schema_that_is_enforced_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    answer = '{"topic": "refund", "urgent": true}'
    await play(Agent(Scripted(answer, capabilities=NATIVE), response_format=Ticket))
    assert attributes(spans.one("chat"))["gen_ai.output.type"] == "json"


@pytest.mark.parametrize("kind", ["whole_reply", "sync_stream"])
async def test_every_kind_of_provider_has_a_span(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    spans = Spans(monkeypatch)
    await play(Agent(getattr(Scripted("Hi."), kind)()))
    found = attributes(spans.one("chat"))
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert ("gen_ai.request.stream" in found) is (kind == "sync_stream")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (["Hi", Scripted.CUT], "ProviderError"),
        (ProviderError("down", status=429), "429"),
        (ProviderError("gone"), "ProviderError"),
        (KeyError("k"), "KeyError"),
    ],
)
async def test_a_call_that_fails_says_how(monkeypatch: pytest.MonkeyPatch, answer: Any, kind: str) -> None:
    spans = Spans(monkeypatch)
    with suppress(KeyError):
        await play(Agent(Scripted(answer)))
    assert attributes(spans.one("chat"))["error.type"] == kind


async def test_a_provider_that_cannot_even_begin_has_a_span(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            raise ZeroDivisionError

    spans = Spans(monkeypatch)
    with pytest.raises(ZeroDivisionError):
        await play(Agent(Broken()))
    assert attributes(spans.one("chat"))["error.type"] == "ZeroDivisionError"


async def test_what_a_provider_does_is_inside_its_span(monkeypatch: pytest.MonkeyPatch) -> None:
    class Instrumented:
        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            with trace.get_tracer("finalturn").start_as_current_span("request"):
                await anyio.sleep(0)
            yield TextDelta("Hi.")
            with trace.get_tracer("finalturn").start_as_current_span("response"):
                await anyio.sleep(0)
            yield ModelEnd()

    spans = Spans(monkeypatch)
    await play(Agent(Instrumented()))
    assert is_child(spans.one("request"), spans.one("chat"))
    assert is_child(spans.one("response"), spans.one("chat"))


async def test_a_fallback_says_how_often_it_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    await play(Agent(Fallback(Scripted(ProviderError("down")), Scripted("Hi."))))
    assert attributes(spans.one("chat"))["finalturn.switches"] == 1


async def test_the_span_of_a_turn_says_what_it_came_to(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    usage = Usage(input_tokens=20, cached_tokens=5, output_tokens=7, reasoning_tokens=2)
    await play(Agent(Scripted(["Hi.", usage])))
    assert attributes(spans.one("invoke_agent")) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "Scripted",
        "gen_ai.usage.input_tokens": 20,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.usage.cache_read.input_tokens": 5,
        "gen_ai.usage.reasoning.output_tokens": 2,
        "finalturn.stop_reason": "completed",
        "finalturn.model_calls": 1,
    }


async def test_the_span_of_a_turn_says_which_limit_it_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    await play(Agent(Scripted([]), limits=Limits(requests=1)))
    turn = attributes(spans.one("invoke_agent"))
    assert (turn["finalturn.stop_reason"], turn["finalturn.limit"]) == ("limit_reached", "requests")


async def test_a_turn_that_fails_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    await play(Agent(Scripted(ProviderError("down", status=503))))
    span = spans.one("invoke_agent")
    assert attributes(span)["error.type"] == "503"
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())


async def test_a_turn_that_is_left_early_ends_all_its_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    async with Agent(Scripted(["One", "two"]), observers=[OpenTelemetryObserver()]).astream("hi") as stream:
        await anext(stream)
    assert [(span.name, attributes(span)["error.type"]) for span in spans.all] == [
        ("chat", "cancelled"),
        ("invoke_agent", "cancelled"),
    ]


async def test_code_of_a_turn_is_inside_its_span(monkeypatch: pytest.MonkeyPatch) -> None:
    def prompt() -> str:
        with trace.get_tracer("finalturn").start_as_current_span("prompt"):
            return ""

    spans = Spans(monkeypatch)
    await play(Agent(Scripted("Hi."), system_prompt=prompt))
    assert is_child(spans.one("prompt"), spans.one("invoke_agent"))


async def test_turns_at_the_same_time_have_trees_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    agent: Agent[Any] = Agent(Scripted("Hi.", "Ho."), observers=[OpenTelemetryObserver()])
    async with agent.astream("a") as one, agent.astream("b") as other:
        for _ in range(2):
            await anext(one)
            await anext(other)
    turns = {span.context.span_id for span in spans.all if span.name == "invoke_agent" and span.context}
    assert {span.parent.span_id for span in spans.all if span.name == "chat" and span.parent} == turns
    assert len(turns) == 2
