"""The results that turns end with: updates that set ``state.result``.

They run after the updates that close the call, so that usage and texts are complete.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from finalturn._core.limits import LimitName
from finalturn._core.messages import Message, Role
from finalturn._core.output import Answer
from finalturn._core.result import AgentResult, StopReason, StructuredStatus, keep_rejected
from finalturn._core.turn.inputs import Decided, Judged, LimitReached, Started, ToolsFinished
from finalturn._core.turn.messages import bubble
from finalturn._core.turn.setup import Mode
from finalturn._core.turn.state import State


def end_plain(state: State, item: Judged) -> State:
    """The turn had no response_format: the last text is the answer."""
    content = item.response.content
    return _end(state, content=content, message=content, answer_call=state.call)


def end_cut(state: State, item: Judged) -> State:
    """As `end_plain`, but the token limit cut the text."""
    content = item.response.content
    return _end(state, content=content, message=content, answer_call=state.call, stop="truncated")


def end_refused(state: State, item: Judged) -> State:
    """The model refused, or a safety block did."""
    content = item.response.content
    status: StructuredStatus = "not_attempted"
    return _end(state, content=content, message=bubble(item), status=status, stop="refused")


def end_answered(state: State, item: Judged) -> State:
    """The loop's own answer is the object: its text is the JSON, so the bubble is empty."""
    return _end_ok(state, item, message="")


def end_synthesized(state: State, item: Judged) -> State:
    """A synthesis call made the object; the bubble is the prose that the loop converged with."""
    return _end_ok(state, item, message=state.converged.shown if state.converged else "")


def end_skipped(state: State, item: object) -> State:
    """The predicate said that this turn needs no object."""
    converged = state.converged
    assert converged is not None, "the predicate is asked at convergence only"
    content = converged.response.content
    return _end(state, content=content, message=bubble(converged), status="skipped", answer_call=state.call)


def end_unvalidated(state: State, item: Judged) -> State:
    """No attempt validated. After synthesis the converged text is what is left, else the last attempt."""
    last = state.converged or item
    error = state.rejected.reason if state.rejected else None
    rejected = state.rejected.text if state.rejected else None
    status: StructuredStatus = "validation_failed"
    content = last.response.content
    return _end(state, content=content, message=bubble(last), status=status, error=error, rejected=rejected)


def end_terminal_tool(state: State, item: object) -> State:
    """A terminal tool ended the turn: the first of the batch that succeeded speaks for it."""
    text = next(outcome.text for outcome in state.outcomes if outcome is not None and outcome.terminal)
    return _end(state, content=text, status="not_attempted", stop="terminal_tool")


def end_iteration_limit(state: State, item: object) -> State:
    """The loop used up its iterations."""
    return _end(state, content="", status="not_attempted", stop="iteration_limit")


def end_limited(state: State, item: Started | Judged | Decided | ToolsFinished | LimitReached) -> State:
    """A limit forbids to go on. What is left is the converged text, or what a loop call said or has shown."""
    last = state.converged or (item if isinstance(item, Judged) else None)
    if last is not None:
        return _end_limited(state, item.limit, last.response.content, bubble(last))
    shown = state.texts[-1] if isinstance(item, LimitReached) else ""
    return _end_limited(state, item.limit, shown, shown)


def end_tool_limit(state: State, item: Judged) -> State:
    """The turn may not run the tools that the model asks for."""
    return _end_limited(state, "tool_calls", "", "")


def _end_limited(state: State, limit: LimitName | None, content: str, message: str) -> State:
    rejected = state.rejected
    status: StructuredStatus = "not_attempted" if rejected is None else "validation_failed"
    return _end(
        state,
        content=content,
        message=message,
        status=status,
        stop="limit_reached",
        limit=limit,
        error=None if rejected is None else rejected.reason,
        rejected=None if rejected is None else rejected.text,
    )


def _end_ok(state: State, item: Judged, *, message: str) -> State:
    answer = item.answer
    assert answer is not None, "a valid verdict carries its answer"
    return _end(
        state, content=answer.json, message=message, answer=answer, status="ok", answer_call=state.call
    )


def _end(
    state: State,
    *,
    content: str,
    message: str = "",
    answer: Answer[Any] | None = None,
    status: StructuredStatus | None = None,
    stop: StopReason = "completed",
    limit: LimitName | None = None,
    answer_call: int | None = None,
    error: str | None = None,
    rejected: str | None = None,
) -> State:
    added = state.added
    structured = None if answer is None else answer.json
    if message.strip() or structured is not None:
        added = (*added, Message(Role.ASSISTANT, message, structured=structured))
    spoken = [entry for entry in added if entry.role is Role.ASSISTANT]
    result: AgentResult[Any] = AgentResult(
        message=spoken[-1] if spoken else None,
        content=content,
        parsed=None if answer is None else answer.value,
        structured_status=None if state.setup.mode is Mode.PLAIN else status,
        structured_error=error,
        text="".join(state.texts),
        messages=(*state.setup.user, *added),
        tool_calls=state.calls,
        usage=state.usage,
        model_calls=state.call + 1,
        answer_call=answer_call,
        stop_reason=stop,
        switches=state.switches,
        limit=limit,
    )
    return replace(state, result=keep_rejected(result, rejected))
