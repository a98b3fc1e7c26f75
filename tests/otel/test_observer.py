"""The observer that traces turns, and what code around a turn has to say of it."""

from __future__ import annotations

import sys

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from finalturn import Agent, ConfigurationError, ProviderError, TurnObserver
from finalturn._otel.observer import SURROUNDINGS, Surroundings
from finalturn.otel import OpenTelemetryObserver
from finalturn.providers import Scripted
from tests.otel._tracing import Spans, attributes

pytestmark = pytest.mark.anyio


async def test_spans_go_to_the_provider_that_was_given() -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observer = OpenTelemetryObserver(tracer_provider=provider)
    assert isinstance(observer, TurnObserver)
    await Agent(Scripted("Hi."), observers=[observer]).arun("hi")
    assert [span.name for span in exporter.get_finished_spans()] == ["chat", "invoke_agent"]


def test_without_the_api_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(ConfigurationError, match=r"pip install finalturn\[otel\]"):
        OpenTelemetryObserver()


async def test_code_around_a_turn_adds_attributes_and_names_its_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spans = Spans(monkeypatch)
    agent = Agent(Scripted(ProviderError("down")), observers=[OpenTelemetryObserver()])

    def name_of(error: BaseException | None) -> str:
        return "mine"

    token = SURROUNDINGS.set(Surroundings({"finalturn.run.id": "r-1"}, name_of))
    with pytest.raises(ProviderError):
        await agent.arun("hi")
    SURROUNDINGS.reset(token)
    found = attributes(spans.one("invoke_agent"))
    assert (found["finalturn.run.id"], found["error.type"]) == ("r-1", "mine")
