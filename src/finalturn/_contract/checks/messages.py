"""Checks of the messages of a recorded turn: the caller's, those that are saved, and their round trip."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn._contract.traces.conversation import first_difference, messages_of_turn
from finalturn._contract.traces.records import (
    CallStarted,
    FinalizeAsked,
    Record,
    Shown,
    TurnResult,
    TurnSaved,
    TurnStarted,
)
from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import places, read_turn, result_of, setup_of
from finalturn._core.messages import Message

__all__ = ["history_is_what_was_shown", "round_trip_exact", "seeded_messages_untouched"]


def seeded_messages_untouched(trace: Trace) -> Iterator[Violation]:
    """What is sent, put to the predicate and saved begins with the caller's messages, as they were."""
    setup = setup_of(trace)
    seeded = (*setup.history, *setup.injections, *setup.user)
    for place, record in enumerate(trace.records):
        match record:
            case CallStarted() | FinalizeAsked():
                begin, messages = seeded, record.messages
            case TurnResult():
                begin, messages = setup.user, record.messages
            case _:
                continue
        number = first_difference(messages[: len(begin)], begin)
        if number is not None:
            yield Violation(place, f"messages[{number}] is as it was given")


def round_trip_exact(trace: Trace) -> Iterator[Violation]:
    """Each message of the trace is equal to what is read from its dictionary."""
    seen_ids: set[int] = set()
    for place, record in enumerate(trace.records):
        for message in _messages_in(record):
            # Requests repeat the conversation; the trace keeps its messages alive, so an id is one message.
            if id(message) not in seen_ids and Message.from_dict(message.to_dict()) != message:
                yield Violation(place, "a message equals what is read from its dictionary")
            seen_ids.add(id(message))


def history_is_what_was_shown(trace: Trace) -> Iterator[Violation]:
    """The turn's messages are what was shown, with the answer attached."""
    turn = read_turn(trace)
    result = result_of(trace)
    if result is None:
        return
    number = first_difference(result[1].messages, messages_of_turn(turn, *result))
    if number is not None:
        yield Violation(result[0], f"messages[{number}] is what was shown, with the answer attached")
    if result[1].text != "".join(call.shown for call in turn.calls):
        yield Violation(result[0], "text is all content that was shown")
    if not any(place < result[0] for place, _ in places(trace, TurnSaved)):
        yield Violation(result[0], "the turn is saved before its result is delivered")


def _messages_in(record: Record) -> tuple[Message, ...]:
    match record:
        case TurnStarted():
            return (*record.history, *record.injections, *record.user)
        case CallStarted() | FinalizeAsked() | TurnResult():
            return record.messages
        case Shown():
            message = record.chunk.tool_message
            return () if message is None else (message,)
        case _:
            return ()
