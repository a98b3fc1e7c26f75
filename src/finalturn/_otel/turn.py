"""The spans of one turn: its own, and below it one for each model call and each tool call."""

from __future__ import annotations

from contextlib import AbstractContextManager
from time import monotonic

from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context, use_span

from finalturn._core.messages import ToolCall
from finalturn._core.observers import (
    ModelCallEnded,
    ModelCallStarted,
    ModelEventReceived,
    ObservedTurn,
    ToolCallEnded,
    ToolCallStarted,
    TurnEnded,
    TurnEvent,
    TurnPart,
)
from finalturn._otel.attributes import Attributes, error_type, of_model_call, of_turn, of_usage
from finalturn._otel.observer import Surroundings

__all__ = ["TurnSpans"]


class TurnSpans:
    """Watches a turn. The parent of the turn's span is the one that is current where the turn begins.

    Args:
        tracer: makes spans.
        turn: the turn.
        surroundings: what code around the turn has to say of it.
    """

    def __init__(self, tracer: Tracer, turn: ObservedTurn, surroundings: Surroundings | None = None) -> None:
        self._tracer = tracer
        self._turn = turn
        own, self._error_type = surroundings or Surroundings({}, error_type)
        attributes = {**of_turn(turn), **own}
        self._span = tracer.start_span("invoke_agent", kind=SpanKind.INTERNAL, attributes=attributes)
        self._context = set_span_in_context(self._span)
        self._call = self._span
        self._call_begun: float | None = None
        self._tools: dict[int, Span] = {}

    def on_event(self, event: TurnEvent, /) -> None:
        """Begin and end spans."""
        match event:
            case ModelCallStarted():
                self._start_call(event)
            case ModelEventReceived():
                self._note_first_chunk()
            case ModelCallEnded():
                self._end_call(event)
            case ToolCallStarted():
                self._tools[event.index] = self._tool_span(event.call)
            case ToolCallEnded():
                self._end_tool(event)
            case TurnEnded():
                self._end(event)
            case _:
                pass

    def around(self, part: TurnPart, /) -> AbstractContextManager[object]:
        """Make the span of a part the current one. It neither ends there nor takes note of exceptions."""
        match part:
            case ModelCallStarted():
                span = self._call
            case ToolCallStarted():
                span = self._tools[part.index]
            case _:
                span = self._span
        return use_span(span, record_exception=False, set_status_on_exception=False)

    def _start_call(self, event: ModelCallStarted) -> None:
        name = "chat" if self._turn.model is None else f"chat {self._turn.model}"
        self._call = self._tracer.start_span(
            name, self._context, kind=SpanKind.CLIENT, attributes=of_model_call(self._turn, event)
        )
        self._call_begun = monotonic()

    def _note_first_chunk(self) -> None:
        begun, self._call_begun = self._call_begun, None
        if begun is not None:
            self._call.set_attribute("gen_ai.response.time_to_first_chunk", monotonic() - begun)

    def _end_call(self, event: ModelCallEnded) -> None:
        response = event.response
        if response is None:
            _fail(self._call, error_type(event.error))
        else:
            self._note_first_chunk()
            self._call.set_attribute("gen_ai.response.finish_reasons", [str(response.finish_reason)])
            _set_attributes(self._call, of_usage(response.usage))
            if response.switches:
                self._call.set_attribute("finalturn.switches", len(response.switches))
        self._call.end()

    def _tool_span(self, call: ToolCall) -> Span:
        attributes: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.type": "function",
        }
        if call.id is not None:
            attributes["gen_ai.tool.call.id"] = call.id
        return self._tracer.start_span(
            f"execute_tool {call.name}", self._context, kind=SpanKind.INTERNAL, attributes=attributes
        )

    def _end_tool(self, event: ToolCallEnded) -> None:
        # A call that was not run has a span too, which says why.
        span = self._tools.pop(event.index, None) or self._tool_span(event.call)
        if event.cancelled:
            _fail(span, "cancelled")
        elif event.failure == "error" and event.error is not None:
            _fail(span, error_type(event.error))
        elif event.failure is not None:
            _fail(span, event.failure)
        span.end()

    def _end(self, event: TurnEnded) -> None:
        _set_attributes(self._span, of_usage(event.usage))
        result = event.result
        if result is None:
            _fail(self._span, self._error_type(event.error))
        else:
            self._span.set_attribute("finalturn.stop_reason", result.stop_reason)
            self._span.set_attribute("finalturn.model_calls", result.model_calls)
            if result.limit is not None:
                self._span.set_attribute("finalturn.limit", result.limit)
            if result.structured_status is not None:
                self._span.set_attribute("finalturn.structured_status", result.structured_status)
        self._span.end()


def _set_attributes(span: Span, attributes: Attributes) -> None:
    for name, value in attributes.items():
        span.set_attribute(name, value)


def _fail(span: Span, kind: str) -> None:
    # Without a description: the text of an exception may be a model's, or a person's.
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))
