"""What rules show. Everything that anyone can see of a turn comes from a function in this file.

Each takes the state before the rule's updates, and the input. A rule without any of them is silent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from finalturn._core.chunks import PartialObject, StreamChunk, StreamEvent, content_chunk
from finalturn._core.frozen import freeze
from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn.inputs import Judged, ToolShows
from finalturn._core.turn.messages import refusals, tool_message
from finalturn._core.turn.state import State

Show: TypeAlias = Callable[[State, Any], Sequence[StreamChunk]]


def content(state: State, item: TextDelta) -> Sequence[StreamChunk]:
    """The text, as it comes."""
    return (content_chunk(item.text, state.call),) if item.text else ()


def content_past_the_hold(state: State, item: TextDelta) -> Sequence[StreamChunk]:
    """The text that the hold lets through."""
    text = state.hold.feed(item.text) if state.hold else ""
    return (content_chunk(text, state.call),) if text else ()


def reasoning(state: State, item: ReasoningDelta) -> Sequence[StreamChunk]:
    """What the model thinks aloud, in its own field."""
    return (StreamChunk(reasoning=item.text, call=state.call),) if item.text else ()


def partial_object(state: State, item: TextDelta) -> Sequence[StreamChunk]:
    """The object of a synthesis call as far as it is known, when more of it is."""
    assert state.growing is not None, "what nobody is shown is not read"
    known = state.growing.feed(item.text)
    if not known:
        return ()
    return (StreamChunk(partial=PartialObject(freeze(known[0], "partial")), call=state.call),)


def settled_text(state: State, item: Judged) -> Sequence[StreamChunk]:
    """Held text that turns out not to be the answer, now that the call has ended."""
    return (content_chunk(item.settled, state.call),) if item.settled else ()


def tool_calls(state: State, item: Judged) -> Sequence[StreamChunk]:
    """One chunk for each call that was asked for."""
    return [StreamChunk(tool_calls=(call,), call=state.call) for call in item.response.tool_calls]


def activity(state: State, item: ToolShows) -> Sequence[StreamChunk]:
    """What an agent shows that runs as a tool, told apart from what this turn says."""
    return (StreamChunk(activity=item.activity, call=state.call),)


def tool_results(state: State, item: object) -> Sequence[StreamChunk]:
    """One chunk for each outcome, in call order."""
    pairs = zip(state.batch, state.outcomes, strict=True)
    return [
        StreamChunk(tool_message=tool_message(call, outcome), call=state.call)
        for call, outcome in pairs
        if outcome is not None
    ]


def refused_calls(state: State, item: Judged) -> Sequence[StreamChunk]:
    """One chunk for each call that is not run, after those that announce them."""
    return [StreamChunk(tool_message=message, call=state.call) for message in refusals(item)]


def reuse_event(state: State, item: Judged) -> Sequence[StreamChunk]:
    """`structured_reuse`: the text of this call was the answer."""
    return (StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=state.call),)


def synthesis_event(state: State, item: object) -> Sequence[StreamChunk]:
    """`structured_synthesis_start`: the next call makes the answer."""
    return (StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=state.call + 1),)
