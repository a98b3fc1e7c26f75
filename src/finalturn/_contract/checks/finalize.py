"""Checks of the ``should_finalize`` predicate: when a recorded turn asked it, and what it was given."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn._contract.traces.conversation import conversation, first_difference
from finalturn._contract.traces.records import FinalizeAnswered, TurnCancelled, TurnFailed, TurnSaved
from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import TracedCall, TracedTurn, read_turn, result_of

__all__ = [
    "asked_at_most_once",
    "predicate_errors_propagate",
    "predicate_sees_conversation",
    "predicate_view_readonly",
    "valid_answer_wins",
]


def valid_answer_wins(trace: Trace) -> Iterator[Violation]:
    """The predicate is not asked about an answer that validates."""
    turn = read_turn(trace)
    for place, _ in turn.predicate_calls:
        call = _converged(turn, place)
        if call is not None and call.verdict == "valid":
            yield Violation(place, "the predicate is not asked, as the answer validates")


def asked_at_most_once(trace: Trace) -> Iterator[Violation]:
    """The predicate is asked once at most, when the loop has converged."""
    turn = read_turn(trace)
    for number, (place, _) in enumerate(turn.predicate_calls):
        call = _converged(turn, place)
        if number:
            yield Violation(place, "the predicate is asked at most once")
        elif call is None or call.verdict in (None, "calls", "refused") or not call.in_loop:
            yield Violation(place, "the predicate is asked at convergence only")


def predicate_sees_conversation(trace: Trace) -> Iterator[Violation]:
    """What the predicate sees is the conversation, and the text that the loop converged with."""
    turn = read_turn(trace)
    for place, question in turn.predicate_calls:
        call = _converged(turn, place)
        number = first_difference(question.messages, conversation(turn, place))
        if number is not None:
            yield Violation(place, f"messages[{number}] is that of the conversation at convergence")
        if call is not None and question.last_response_text != call.content:
            yield Violation(place, "last_response_text is the whole text of the last call")


def predicate_view_readonly(trace: Trace) -> Iterator[Violation]:
    """What follows is made of the messages that the predicate was given."""
    turn = read_turn(trace)
    setup = turn.setup
    for place, question in turn.predicate_calls[:1]:
        for call in turn.calls:
            begin = call.started.messages[: len(question.messages)]
            if call.place > place and begin != question.messages:
                yield Violation(call.place, "the request begins with what the predicate was given")
        result = result_of(trace)
        if result is not None:
            added = question.messages[len(setup.history) + len(setup.injections) :]
            if result[1].messages[: len(added)] != added:
                yield Violation(result[0], "the messages begin with this turn's that the predicate was given")


def predicate_errors_propagate(trace: Trace) -> Iterator[Violation]:
    """A predicate that gives no answer ends the turn, with its own exception."""
    turn = read_turn(trace)
    for place, _ in turn.predicate_calls:
        for after, record in enumerate(trace.records[place + 1 : place + 2], place + 1):
            if turn.limit == "seconds" and isinstance(record, TurnSaved):
                # It was stopped.
                continue
            own = not (isinstance(record, TurnFailed) and record.error == "ProtocolError")
            if not isinstance(record, (FinalizeAnswered, TurnFailed, TurnCancelled)) or not own:
                yield Violation(after, "a predicate that gives no answer ends the turn with its exception")


def _converged(turn: TracedTurn, place: int) -> TracedCall | None:
    """The last call before that place."""
    return next((call for call in reversed(turn.calls) if call.place < place), None)
