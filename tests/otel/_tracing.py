"""What OpenTelemetry's SDK has been given, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON

from finalturn import Agent, FinalturnError
from finalturn._agent.agent import with_observer
from finalturn.otel import OpenTelemetryObserver


class Spans:
    """The spans of finalturn that have ended.

    Args:
        monkeypatch: the SDK is set up for one test.
        sampled: whether spans are recorded.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, sampled: bool = True) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider(sampler=ALWAYS_ON if sampled else ALWAYS_OFF, shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)

    @property
    def all(self) -> list[ReadableSpan]:
        """In the order of their ends."""
        found = self._exporter.get_finished_spans()
        return [
            one
            for one in found
            if one.instrumentation_scope and one.instrumentation_scope.name == "finalturn"
        ]

    @property
    def names(self) -> list[str]:
        return [span.name for span in self.all]

    def one(self, name: str) -> ReadableSpan:
        """The one span of that name."""
        (found,) = [span for span in self.all if span.name == name]
        return found


def attributes(span: ReadableSpan) -> Mapping[str, Any]:
    """What a span says."""
    return dict(span.attributes or {})


def is_child(span: ReadableSpan, parent: ReadableSpan) -> bool:
    """Whether the one was begun inside the other, of the same trace, and has ended before it."""
    assert span.parent is not None and span.context is not None and parent.context is not None
    assert span.end_time is not None and parent.end_time is not None
    assert span.start_time is not None and parent.start_time is not None
    inside = parent.start_time <= span.start_time <= span.end_time <= parent.end_time
    return inside and (span.parent.trace_id, span.parent.span_id) == (
        parent.context.trace_id,
        parent.context.span_id,
    )


async def play(agent: Agent[Any]) -> None:
    """Run a turn of an agent that is traced; that it fails is fine."""
    with suppress(FinalturnError):
        await with_observer(agent, OpenTelemetryObserver()).arun("hi")
