"""Emissions that no rule has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from finalturn._core.chunks import StreamChunk, StreamEvent
from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import Judged, Phase, Rule, State

Emission = Callable[[State, Any], Sequence[StreamChunk]]


def leaks(rule: Rule) -> Iterator[Emission]:
    """What the rule could show, and must not."""
    if rule.on in (TextDelta, ReasoningDelta):
        yield its_text
    if rule.on is Judged:
        yield the_whole_response
    if rule.phase in (Phase.CALLING, Phase.DECIDING, Phase.SYNTHESIZING, Phase.SAVING, Phase.RUNNING):
        yield a_synthesis_event
        yield a_reuse_event


def its_text(state: State, item: TextDelta | ReasoningDelta) -> Sequence[StreamChunk]:
    return (StreamChunk(content=item.text, call=max(state.call, 0)),)


def the_whole_response(state: State, item: Judged) -> Sequence[StreamChunk]:
    text = item.response.content
    return (StreamChunk(content=text, call=state.call),) if text else ()


def a_synthesis_event(state: State, item: object) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=state.call),)


def a_reuse_event(state: State, item: object) -> Sequence[StreamChunk]:
    return (StreamChunk(event=StreamEvent.STRUCTURED_REUSE, call=state.call),)
