"""Spans of tool calls: each as long as the tool ran, and with what the turn made of it."""

from __future__ import annotations

from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from time import time_ns
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from finalturn._core.messages import Message, ToolCall

__all__ = ["ToolSpan", "ToolSpans"]


class ToolSpan:
    """One tool call. The tool runs in `running`, in whatever thread; all else happens in the turn's task.

    Args:
        tracer: makes spans.
        call: the call.
    """

    def __init__(self, tracer: trace.Tracer, call: ToolCall) -> None:
        self.call = call
        self.claimed = call.error is not None
        self._tracer = tracer
        self._span: Span | None = None
        self._left: int | None = None
        self._raised: str | None = None

    @contextmanager
    def running(self) -> Generator[None, None, None]:
        """The tool runs. What it does itself has the span as its parent."""
        self._span = span = self._span or self._begin()
        with trace.use_span(span, record_exception=False, set_status_on_exception=False):
            try:
                yield
            except BaseException as error:
                self._raised = type(error).__qualname__
                raise
            finally:
                self._left = time_ns()

    async def awaiting(self, value: Awaitable[Any]) -> Any:
        """A function that is not async gave something to await: that is part of it."""
        with self.running():
            return await value

    def end(self, failure: str | None) -> None:
        """The call is over.

        Args:
            failure: the kind, or ``None`` when the tool ran and returned.
        """
        span = self._span or self._begin()
        if failure is not None:
            span.set_attribute("error.type", self._raised or failure if failure == "error" else failure)
            span.set_status(Status(StatusCode.ERROR))
        # A tool that was given up may still be running in its thread.
        span.end(self._left)

    def _begin(self) -> Span:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": self.call.name,
            "gen_ai.tool.type": "function",
        }
        if self.call.id is not None:
            attributes["gen_ai.tool.call.id"] = self.call.id
        return self._tracer.start_span(
            f"execute_tool {self.call.name}", kind=SpanKind.INTERNAL, attributes=attributes
        )


class ToolSpans:
    """The tool calls of one turn that are not over.

    Args:
        tracer: makes spans.
    """

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer
        self._open: list[ToolSpan] = []

    def called(self, call: ToolCall) -> None:
        """The model has asked for a call."""
        self._open.append(ToolSpan(self._tracer, call))

    def claim(self, name: str) -> ToolSpan | None:
        """The next call of this tool whose arguments are read: they are, in the order of the calls."""
        for found in self._open:
            if found.call.name == name and not found.claimed:
                found.claimed = True
                return found
        return None

    def returned(self, message: Message) -> None:
        """A call is over.

        Args:
            message: the TOOL message that says so.
        """
        # Calls that were written as text have no id. They are over in their order.
        found = next((one for one in self._open if one.call.id == message.tool_call_id), None)
        if found is not None:
            self._open.remove(found)
            found.end((message.tool_failure or "error") if message.tool_result is None else None)

    def end(self) -> None:
        """End those that are not over: the turn is."""
        while self._open:
            self._open.pop(0).end("cancelled")
