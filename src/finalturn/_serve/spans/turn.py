"""The span of one turn, which its model calls and tools have as their parent."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from finalturn._agent import AgentStream
from finalturn._core.chunks import StreamChunk
from finalturn._core.result import AgentResult, Usage
from finalturn._serve.access.owners import stored_session
from finalturn._serve.formats.items import Failed
from finalturn._serve.problems.failure import failure_of
from finalturn._serve.spans.names import Named
from finalturn._serve.spans.tools import ToolSpans

if TYPE_CHECKING:
    from finalturn._serve.runs.run import Run
    from finalturn._serve.spans.spans import Saw

__all__ = ["CURRENT", "TurnSpans", "fail", "open_turn", "set_usage"]


class TurnSpans:
    """What goes on in a turn whose span is recorded.

    Attributes:
        tracer: makes spans.
        conversation: the id of its session, if it has one.
        tools: the spans of its tool calls.
        calls: the spans of model calls that have not ended.
    """

    def __init__(self, tracer: trace.Tracer, span: Span, conversation: str | None) -> None:
        self.tracer = tracer
        self.conversation = conversation
        self._span = span
        self.tools = ToolSpans(tracer)
        self.calls: set[Span] = set()

    def asks(self, names: Named) -> None:
        """A model is about to be asked: say of the turn whose it is."""
        self._span.set_attribute("gen_ai.provider.name", names.provider)
        if names.model is not None:
            self._span.set_attribute("gen_ai.request.model", names.model)

    def saw(self, item: StreamChunk | AgentResult[Any]) -> None:
        """Take notice of what is shown: of tool calls and their outcomes."""
        if isinstance(item, StreamChunk):
            if item.tool_calls:
                self.tools.called(item.tool_calls[0])
            elif item.tool_message is not None:
                self.tools.returned(item.tool_message)

    def end(self) -> None:
        """End what has not ended, before the turn's own span does."""
        for span in self.calls:
            fail(span, "cancelled")
            span.end()
        self.calls.clear()
        self.tools.end()


CURRENT: ContextVar[TurnSpans | None] = ContextVar("finalturn_turn_spans", default=None)
"""The turn that is going on; ``None`` where nobody records it."""


@contextmanager
def open_turn(run: Run, stream: AgentStream[Any]) -> Generator[Saw, None, None]:
    """See `finalturn._serve.spans.spans.turn_span`."""
    from finalturn import __version__

    tracer = trace.get_tracer("finalturn", __version__)
    conversation = None if run.session is None else stored_session(run.owner, run.session)
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "finalturn.run.id": run.id,
        "finalturn.format": run.format,
    }
    if conversation is not None:
        attributes["gen_ai.conversation.id"] = conversation
    with tracer.start_as_current_span(
        "invoke_agent",
        kind=SpanKind.INTERNAL,
        attributes=attributes,
        # The text of an exception may be a model's, or a person's.
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        if not span.is_recording():
            yield _see_nothing
            return
        spans = TurnSpans(tracer, span, conversation)
        token = CURRENT.set(spans)
        try:
            yield spans.saw
        finally:
            CURRENT.reset(token)
            spans.end()
            _finish(span, run, stream)


def set_usage(span: Span, usage: Usage | None) -> None:
    """Say how many tokens were used, as far as a provider reported them."""
    if usage is None or not (usage.input_tokens or usage.output_tokens):
        return
    span.set_attribute("gen_ai.usage.input_tokens", usage.input_tokens)
    span.set_attribute("gen_ai.usage.output_tokens", usage.output_tokens)
    if usage.cached_tokens:
        span.set_attribute("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens)
    if usage.reasoning_tokens:
        span.set_attribute("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens)


def fail(span: Span, kind: str) -> None:
    """Say that what the span stands for has failed.

    Args:
        span: the span.
        kind: of the failure; one of few.
    """
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


def _finish(span: Span, run: Run, stream: AgentStream[Any]) -> None:
    set_usage(span, stream.usage)
    outcome = run.outcome or Failed(failure_of(RuntimeError()))
    if isinstance(outcome, Failed):
        fail(span, outcome.failure.code)
        return
    span.set_attribute("finalturn.stop_reason", outcome.result["stop_reason"])
    span.set_attribute("finalturn.model_calls", outcome.result["model_calls"])
    if (status := outcome.result["structured_status"]) is not None:
        span.set_attribute("finalturn.structured_status", status)


def _see_nothing(item: StreamChunk | AgentResult[Any]) -> None:
    """Nobody records it."""
