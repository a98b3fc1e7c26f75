"""The span of a turn, and what it ends with."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry import trace

from finalturn import Agent, ToolCall, Usage
from finalturn._core.chunks import StreamChunk
from finalturn._serve.formats.items import Failed
from finalturn._serve.problems.failure import STOPPED
from finalturn._serve.runs.run import Run
from finalturn._serve.runs.whole import Silent
from finalturn._serve.spans.turn import CURRENT, TurnSpans, open_turn, set_usage
from finalturn.providers import Scripted
from tests.serve._tracing import Spans, attributes


def run(outcome: Any = None) -> Run:
    found = Run("r-1", "ann", "s1", "native", Silent(), buffer=1, replay=False)
    found.outcome = outcome
    return found


def test_what_is_left_open_ends_before_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    with open_turn(run(Failed(STOPPED)), Agent(Scripted()).astream("hi")) as saw:
        saw(StreamChunk(tool_calls=(ToolCall("lookup", {}, "c-1"),)))
        current = CURRENT.get()
        assert isinstance(current, TurnSpans)
        current.calls.add(current.tracer.start_span("chat"))
    assert [(span.name, attributes(span)["error.type"]) for span in spans.all] == [
        ("chat", "cancelled"),
        ("execute_tool lookup", "cancelled"),
        ("invoke_agent", "stopped"),
    ]
    assert CURRENT.get() is None


def test_a_turn_that_breaks_down_is_an_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    with pytest.raises(KeyboardInterrupt), open_turn(run(), Agent(Scripted()).astream("hi")):
        raise KeyboardInterrupt
    found = spans.one("invoke_agent")
    assert attributes(found)["error.type"] == "internal_error"
    assert found.events == () and found.status.description is None


@pytest.mark.parametrize("usage", [None, Usage(), Usage(unreported_calls=1)])
def test_usage_that_nobody_reported_is_left_out(monkeypatch: pytest.MonkeyPatch, usage: Usage | None) -> None:
    spans = Spans(monkeypatch)
    span = trace.get_tracer("finalturn").start_span("chat")
    set_usage(span, usage)
    span.end()
    assert attributes(spans.one("chat")) == {}


def test_nothing_is_noted_of_a_turn_that_nobody_records(monkeypatch: pytest.MonkeyPatch) -> None:
    Spans(monkeypatch, sampled=False)
    with open_turn(run(), Agent(Scripted()).astream("hi")) as saw:
        assert CURRENT.get() is None
        saw(StreamChunk("Hi."))
