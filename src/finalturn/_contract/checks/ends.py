"""Checks of how a turn ends, and of what its chunks say about where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from finalturn._contract.traces.records import (
    CallEnded,
    CallStarted,
    Shown,
    TurnCancelled,
    TurnFailed,
    TurnResult,
)
from finalturn._contract.traces.trace import Trace, Undecidable, Violation
from finalturn._contract.traces.turn import TracedTurn, places, read_turn, result_of, setup_of
from finalturn._core.chunks import StreamEvent
from finalturn._core.result import Usage

__all__ = ["answer_call_known", "close_stops_work", "nested_agents_count", "result_is_last", "usage_complete"]

_ENDS = (TurnResult, TurnFailed, TurnCancelled)


def result_is_last(trace: Trace) -> Iterator[Violation]:
    """One end, and nothing after it."""
    end = next((place for place, record in enumerate(trace.records) if isinstance(record, _ENDS)), None)
    if end is None:
        raise Undecidable("the trace stops before the turn's end")
    for place in range(end + 1, len(trace.records)):
        yield Violation(place, "nothing follows the end of the turn")


def answer_call_known(trace: Trace) -> Iterator[Violation]:
    """Chunks name the call that is under way, an event the one it announces, the result the answer's."""
    setup_of(trace)
    current_call, next_call, ended = -1, 0, None
    for place, record in enumerate(trace.records):
        match record:
            case CallStarted():
                if record.call != next_call:
                    yield Violation(place, f"this is model call {next_call}")
                current_call, next_call = record.call, next_call + 1
            case CallEnded():
                ended = record.call
            case Shown():
                starts = record.chunk.event is StreamEvent.STRUCTURED_SYNTHESIS_START
                call = current_call + 1 if starts else current_call
                if record.chunk.call != call:
                    yield Violation(place, f"the chunk belongs to call {call}")
            case TurnResult():
                answer = ended if _has_answer(record) else None
                if record.answer_call != answer:
                    yield Violation(place, f"answer_call is {answer}")
            case _:
                pass


def close_stops_work(trace: Trace) -> Iterator[Violation]:
    """Nothing happens once the turn is left. Whether a connection was freed, a trace does not show."""
    leaving = next(places(trace, TurnCancelled), None)
    if leaving is None:
        return
    for place in range(leaving[0] + 1, len(trace.records)):
        yield Violation(place, "nothing is done or shown once the turn is left")
    raise Undecidable("a trace does not show whether the model's connection was freed")


def usage_complete(trace: Trace) -> Iterator[Violation]:
    """The result's usage is the sum over the calls, those of turns that its tools ran included."""
    turn = read_turn(trace)
    result = result_of(trace)
    if result is None:
        return
    ended = [call.end[1].usage for call in turn.calls if call.end is not None]
    total = sum((usage or Usage(unreported_calls=1) for usage in ended), Usage())
    total += _nested_usage(turn)
    stopped = sum(call.end is None for call in turn.calls)
    total += Usage(unreported_calls=stopped)
    # What providers had used before the one that was stopped, a trace does not show.
    if not _is_least(total, result[1].usage) if stopped else result[1].usage != total:
        yield Violation(result[0], "the usage is the sum of that of all model calls")
    if result[1].model_calls != len(turn.calls):
        yield Violation(result[0], f"model_calls is {len(turn.calls)}")


def nested_agents_count(trace: Trace) -> Iterator[Violation]:
    """What turns have used that tools ran is in the result's usage."""
    turn = read_turn(trace)
    result = result_of(trace)
    if result is not None and not _is_least(_nested_usage(turn), result[1].usage):
        yield Violation(result[0], "the usage counts what agents have used that ran as tools")


def _nested_usage(turn: TracedTurn) -> Usage:
    batches = [batch for call in turn.calls for batch in call.batches]
    used = [outcome.usage for batch in batches for outcome in batch.outcomes.values()]
    return sum(filter(None, used), Usage())


def _is_least(least: Usage, usage: Usage) -> bool:
    return all(getattr(usage, field.name) >= getattr(least, field.name) for field in fields(Usage))


def _has_answer(result: TurnResult) -> bool:
    if result.structured_status is None:
        return result.stop_reason in ("completed", "truncated")
    return result.structured_status in ("ok", "skipped")
