"""Spans of model calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from opentelemetry import trace

from finalturn import Agent, Capabilities, ModelEvent, ModelRequest, ModelSettings, ProviderError, TextDelta
from finalturn._core.model import ModelEnd, ModelResponse
from finalturn._serve.spans.model import TracedProvider
from finalturn.providers import Fallback, Scripted
from tests.serve._agents import Ticket
from tests.serve._tracing import Spans, attributes, is_child, play

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
                await asyncio.sleep(0)
            yield TextDelta("Hi.")
            with trace.get_tracer("finalturn").start_as_current_span("response"):
                await asyncio.sleep(0)
            yield ModelEnd()

    spans = Spans(monkeypatch)
    await play(Agent(Instrumented()))
    assert is_child(spans.one("request"), spans.one("chat"))
    assert is_child(spans.one("response"), spans.one("chat"))


async def test_a_fallback_says_how_often_it_switched(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    await play(Agent(Fallback(Scripted(ProviderError("down")), Scripted("Hi."))))
    assert attributes(spans.one("chat"))["finalturn.switches"] == 1


async def test_without_a_turn_there_is_no_span(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    provider = TracedProvider(Scripted("Hi.", "Hi."))
    request = ModelRequest([])
    assert await provider.for_turn().complete(request) == ModelResponse("Hi.")
    assert [event async for event in provider.events(request)] == [TextDelta("Hi."), ModelEnd()]
    assert spans.all == []
