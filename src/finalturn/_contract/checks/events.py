"""Checks of the two events, and of a skip."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn._contract.traces.records import CallStarted, Shown, TurnCancelled, TurnFailed
from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import places, read_turn
from finalturn._core.chunks import StreamEvent

__all__ = ["reuse_signalled", "skip_is_silent", "synthesis_start_once"]


def synthesis_start_once(trace: Trace) -> Iterator[Violation]:
    """`structured_synthesis_start` once before the first synthesis call, and at no other time."""
    turn = read_turn(trace)
    starts = _events(trace, StreamEvent.STRUCTURED_SYNTHESIS_START)
    if not turn.synthesis:
        for place in starts:
            if not _is_cut_after(trace, place) or place != starts[-1]:
                yield Violation(place, "there is no structured_synthesis_start without a synthesis call")
        return
    begun = turn.synthesis[0].place
    announcing = next((place for place in starts if place < begun), None)
    if announcing is None:
        yield Violation(begun, "structured_synthesis_start is shown before the synthesis call begins")
    for place in starts:
        if place != announcing:
            yield Violation(
                place, "structured_synthesis_start is shown once, before the first synthesis call begins"
            )


def reuse_signalled(trace: Trace) -> Iterator[Violation]:
    """`structured_reuse` once after shown text that is the answer, and at no other time."""
    turn = read_turn(trace)
    events = _events(trace, StreamEvent.STRUCTURED_REUSE)
    answer = turn.answer_call if turn.setup.mode == "final_turn" else None
    if answer is None or not answer.shown.strip():
        for place in events:
            yield Violation(place, "there is no structured_reuse when no shown text is the answer")
        return
    last = answer.pieces[-1][0]
    after = [place for place in events if place > last]
    for place in events:
        if place not in after[:1]:
            yield Violation(place, "there is one structured_reuse, after the text that is the answer")
    if answer.over and answer.end is not None and not after:
        yield Violation(
            answer.end[0], "there is one structured_reuse before the result, as its text was shown"
        )


def skip_is_silent(trace: Trace) -> Iterator[Violation]:
    """After a no of the predicate: no event at all in the turn, and no further model call."""
    turn = read_turn(trace)
    skipped = turn.skipped
    if skipped is None:
        return
    for place, record in places(trace, Shown):
        if record.chunk.event is not None:
            yield Violation(place, "no event is shown in a turn that is skipped")
    for place, _ in places(trace, CallStarted):
        if place > skipped:
            yield Violation(place, "no model call is made once the predicate has said no")


def _events(trace: Trace, event: StreamEvent) -> list[int]:
    return [place for place, record in places(trace, Shown) if record.chunk.event is event]


def _is_cut_after(trace: Trace, place: int) -> bool:
    """Whether the turn was left, or failed, just then."""
    later_records = trace.records[place + 1 :]
    return all(isinstance(record, (TurnCancelled, TurnFailed)) for record in later_records)
