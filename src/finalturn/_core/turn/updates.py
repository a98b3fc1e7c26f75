"""The updates of rules: pure functions from a state and an input to the next state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from finalturn._core.result import Usage
from finalturn._core.turn.inputs import Judged, LimitReached, ToolReturned
from finalturn._core.turn.messages import calling_message, refusals, tool_message
from finalturn._core.turn.state import HeldText, Rejected, State

Update: TypeAlias = Callable[[State, Any], State]

_UNREPORTED = Usage(unreported_calls=1)


def next_call(state: State, item: object) -> State:
    """The next model call has the next index."""
    return replace(state, call=state.call + 1)


def next_iteration(state: State, item: object) -> State:
    """The next model call is a loop call."""
    return replace(state, iterations=state.iterations + 1)


def open_hold(state: State, item: object) -> State:
    """The next loop call's text is held, when the turn holds JSON."""
    output = state.setup.output if state.setup.hold else None
    return replace(state, hold=None if output is None else HeldText(output))


def open_growing(state: State, item: object) -> State:
    """The next synthesis call's object is shown as it grows, when the turn shows it."""
    if not state.setup.partials:
        return state
    from finalturn._core.output.growing import GrowingObject

    output = state.setup.judge_of(native=state.setup.native_synthesis)
    assert output is not None, "only a turn with a response_format is synthesized"
    return replace(state, growing=GrowingObject(output))


def close_call(state: State, item: Judged) -> State:
    """A model call has ended: its usage and switches count, and its shown text is part of the turn's."""
    usage = state.usage + (item.response.usage or _UNREPORTED)
    switches = state.switches + item.response.switches
    return replace(state, usage=usage, switches=switches, texts=(*state.texts, item.shown), hold=None)


def take_calls(state: State, item: Judged) -> State:
    """The response asks for tools: its message joins the conversation, and its calls are the batch."""
    calls = item.response.tool_calls
    return replace(
        state,
        added=(*state.added, calling_message(item)),
        calls=state.calls + calls,
        batch=calls,
        outcomes=(None,) * len(calls),
        rejected=None,
    )


def note_outcome(state: State, item: ToolReturned) -> State:
    """One call of the batch has its outcome; what turns that it ran have used counts."""
    outcomes = list(state.outcomes)
    outcomes[item.outcome.index] = item.outcome
    used = item.outcome.usage
    usage = state.usage if used is None else state.usage + used
    return replace(state, outcomes=tuple(outcomes), usage=usage)


def append_results(state: State, item: object) -> State:
    """The batch's TOOL messages join the conversation, in call order."""
    pairs = zip(state.batch, state.outcomes, strict=True)
    results = [tool_message(call, outcome) for call, outcome in pairs if outcome is not None]
    return replace(state, added=(*state.added, *results))


def refuse_calls(state: State, item: Judged) -> State:
    """None of the batch runs: the TOOL messages that say so join the conversation."""
    return replace(state, added=(*state.added, *refusals(item)))


def stop_call(state: State, item: LimitReached) -> State:
    """A loop call was stopped: its usage counts, and its shown text is part of the turn's."""
    text = item.text if state.hold is None else state.hold.shown
    shown = "" if state.setup.single_pass else text
    return replace(state, usage=state.usage + item.usage, texts=(*state.texts, shown))


def stop_synthesis(state: State, item: LimitReached) -> State:
    """A synthesis call was stopped: its usage counts."""
    return replace(state, usage=state.usage + item.usage)


def converge(state: State, item: Judged) -> State:
    """The loop is over; this response is what it ended with."""
    return replace(state, converged=item)


def reject(state: State, item: Judged) -> State:
    """The answer does not validate; the next attempt is told why."""
    rejection = item.rejection
    assert rejection is not None, "an answer that is not valid says why"
    return replace(state, rejected=Rejected(item.response.content, rejection.reason, rejection.feedback))


def spend_retry(state: State, item: object) -> State:
    """One retry of the validation budget is used."""
    return replace(state, retries=state.retries + 1)


def spend_empty_retry(state: State, item: object) -> State:
    """The one retry of an empty answer is used."""
    return replace(state, empty_retried=True)
