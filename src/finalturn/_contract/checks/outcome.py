"""Checks of how a turn comes out, and of what it spends on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import Call, read_turn, result_of
from finalturn._core import json_text
from finalturn._core.output.find import is_empty, whole

__all__ = [
    "always_validated_here",
    "answer_on_result",
    "explicit_outcome",
    "never_repaired",
    "no_needless_call",
    "reuse_gate_strict",
    "schema_stays_out",
]


def explicit_outcome(trace: Trace) -> Iterator[Violation]:
    """With a response_format there is a status, and an object exactly when it is "ok"."""
    turn = read_turn(trace)
    found = result_of(trace)
    if found is None:
        return
    place, result = found
    if turn.setup.mode == "plain":
        if result.structured_status is not None:
            yield Violation(place, "structured_status is None without a response_format")
    elif result.structured_status is None:
        yield Violation(place, "structured_status is not None with a response_format")
    if result.has_parsed != (result.structured_status == "ok"):
        yield Violation(place, 'parsed is set exactly when structured_status is "ok"')


def answer_on_result(trace: Trace) -> Iterator[Violation]:
    """The answer's JSON text, what it says, and the message that keeps it, are on the result."""
    turn = read_turn(trace)
    found = result_of(trace)
    if found is None:
        return
    place, result = found
    if result.structured_status != "ok":
        answered = turn.taken is not None or any(call.verdict == "valid" for call in turn.synthesis)
        if answered:
            yield Violation(place, 'structured_status is "ok", as an answer validated')
        return
    try:
        said: Any = json_text.decode(result.content, max_depth=200)
    except ValueError:
        yield Violation(place, "content is the answer's JSON text")
        return
    if not result.has_parsed or result.parsed != said:
        yield Violation(place, "parsed is what content says")
    if not result.messages or result.messages[-1].structured != result.content:
        yield Violation(place, "the last message has the answer's JSON text as structured")


def always_validated_here(trace: Trace) -> Iterator[Violation]:
    """An object comes of the last call, whose text was found to be an answer."""
    turn = read_turn(trace)
    found = result_of(trace)
    if found is not None and found[1].has_parsed and (not turn.calls or turn.calls[-1].verdict != "valid"):
        yield Violation(found[0], "parsed comes of an answer that was validated")


def reuse_gate_strict(trace: Trace) -> Iterator[Violation]:
    """A reused answer is one JSON value, alone or in one fence, and says something."""
    turn = read_turn(trace)
    answer = turn.taken
    if answer is None or answer.end is None or turn.setup.mode != "final_turn":
        return
    try:
        empty = is_empty(whole(answer.content)[1])
    except ValueError:
        yield Violation(answer.end[0], "an answer that is reused is one JSON value and nothing else")
        return
    if empty:
        yield Violation(answer.end[0], "an answer that is reused is not empty")


def never_repaired(trace: Trace) -> Iterator[Violation]:
    """The answer's text was written as it is, by a call that was not cut."""
    turn = read_turn(trace)
    found = result_of(trace)
    if found is None or not found[1].has_parsed:
        return
    place, result = found
    call: Call | None = turn.calls[-1] if turn.calls else None
    if call is None or result.content not in call.content:
        yield Violation(place, "content stands, as it is, in the text of the call that gave the answer")
    elif call.end is not None and call.end[1].finish_reason == "length":
        yield Violation(place, "no answer is made of a call that the token limit cut")


def no_needless_call(trace: Trace) -> Iterator[Violation]:
    """No model call after an answer that is the object, or after a skip."""
    turn = read_turn(trace)
    answer, skipped = turn.taken, turn.skipped
    for call in turn.calls:
        if answer is not None and call.place > answer.place:
            yield Violation(call.place, "no model call is made once an answer is the object")
        elif skipped is not None and call.place > skipped:
            yield Violation(call.place, "no model call is made once the predicate has said no")


def schema_stays_out(trace: Trace) -> Iterator[Violation]:
    """In final_turn_only without single_pass, no loop request carries the schema."""
    turn = read_turn(trace)
    if turn.setup.mode != "final_turn" or turn.setup.single_pass:
        return
    for call in turn.loop:
        if call.started.schema_sent:
            yield Violation(call.place, "a request of the tool loop does not carry the schema")
