"""OpenTelemetry spans of served turns, where its API is installed. Without it, nothing happens here.

The names are those of the semantic conventions for generative AI, which are in development
(https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai). A turn is an ``invoke_agent``
span, with a ``chat`` span for each model call and an ``execute_tool`` span for each tool call. No span holds
anything that was said.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from finalturn._agent import Agent, AgentStream
from finalturn._core.chunks import StreamChunk
from finalturn._core.result import AgentResult

if TYPE_CHECKING:
    from finalturn._serve.runs.run import Run

__all__ = ["Saw", "traced", "turn_span"]

T = TypeVar("T")

Saw = Callable[[StreamChunk | AgentResult[Any]], None]
"""Is given each item of a turn, as it comes."""


def traced(agent: Agent[T]) -> Agent[T]:
    """The same agent, whose model calls and tools have spans in turns that have one; see `turn_span`."""
    if not _has_api():
        return agent
    from finalturn._serve.spans.agent import traced_agent

    return traced_agent(agent)


def turn_span(run: Run, stream: AgentStream[Any]) -> AbstractContextManager[Saw]:
    """A span for as long as a run goes on. It ends as the run has ended.

    Its parent is the span that was current where the task of the run was made.

    Args:
        run: its outcome is read at the end.
        stream: its usage is read at the end.

    Returns:
        A context manager. What it gives is to be called with each item of the stream.
    """
    if not _has_api():
        return nullcontext(_see_nothing)
    from finalturn._serve.spans.turn import open_turn

    return open_turn(run, stream)


def _has_api() -> bool:
    with suppress(ModuleNotFoundError):
        return find_spec("opentelemetry.trace") is not None
    return False


def _see_nothing(item: StreamChunk | AgentResult[Any]) -> None:
    """There is no span."""
