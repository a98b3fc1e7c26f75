"""What comes of a tool call, in words for the model."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from finalturn._core.errors import ToolError
from finalturn._core.json_text import without_surrogates
from finalturn._core.messages import ToolCall
from finalturn._core.observers import ToolCallEnded
from finalturn._core.tool_outcome import ToolFailure, ToolOutcome
from finalturn._tools.contain import Raised, TimedOut
from finalturn._tools.function import is_async
from finalturn._tools.result_text import NoJsonFormError, error_text
from finalturn._tools.tool import Tool

__all__ = ["OUT_OF_TIME", "Ended", "Failure", "ReadyCall", "ended_event", "failed", "outcome_of"]

T = TypeVar("T")

OUT_OF_TIME = "This call was not run: the turn is out of time."


Ended: TypeAlias = str | Raised | TimedOut
"""How a call that has run ended: with a result, or without."""


class Failure(NamedTuple):
    """Why a call gave no result, and what the model is told of it."""

    kind: ToolFailure
    text: str


class ReadyCall(NamedTuple):
    """A call that may run: its arguments are valid, and every gate lets it.

    Attributes:
        place: its place in its batch.
        call: what the model asked for.
        tool: the tool.
        run: calls its function.
    """

    place: int
    call: ToolCall
    tool: Tool[..., Any, Any]
    run: partial[Any]

    def open(self, fn: Callable[..., T]) -> T:
        """Call another function with what the tool's is given."""
        return fn(*self.run.args, **self.run.keywords)


def ended_event(call: ToolCall, outcome: ToolOutcome, error: BaseException | None = None) -> ToolCallEnded:
    """What watches are told of an outcome.

    Args:
        call: what the model asked for.
        outcome: what came of it.
        error: what the tool raised.
    """
    return ToolCallEnded(
        outcome.index, call, outcome.text, outcome.failure, error, outcome.terminal, usage=outcome.usage
    )


def outcome_of(ready_call: ReadyCall, ended: Ended) -> ToolOutcome:
    """The outcome of a call that has run."""
    if isinstance(ended, Raised):
        return failed(ready_call.place, Failure(_kind(ended.error), error_text(ended.error)))
    if isinstance(ended, TimedOut):
        return failed(ready_call.place, Failure("timeout", _timeout_text(ready_call, ended)))
    return ToolOutcome(ready_call.place, ended, terminal=ready_call.tool.terminal)


def _kind(error: BaseException) -> ToolFailure:
    """Whether all that was raised is meant to be seen."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return "tool_error" if all(_kind(inner) == "tool_error" for inner in group.exceptions) else "error"
    is_tool_error = isinstance(error, ToolError) and not isinstance(error, NoJsonFormError)
    return "tool_error" if is_tool_error else "error"


def failed(index: int, failure: Failure) -> ToolOutcome:
    """The outcome of a call that gave no result."""
    return ToolOutcome(index, without_surrogates(failure.text), failure.kind)


def _timeout_text(ready_call: ReadyCall, late: TimedOut) -> str:
    if not late.started:
        return OUT_OF_TIME
    still_running = "" if is_async(ready_call.run) else " It may still be running."
    tool: Tool[..., Any, Any] = ready_call.tool
    if late.deadline:
        return f"The tool {tool.name} was stopped: the turn is out of time.{still_running}"
    return f"The tool {tool.name} did not finish within {tool.timeout:g} seconds.{still_running}"
