"""Checks of how a turn comes out, and of what it spends on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import TracedCall, TracedTurn, read_turn, result_of
from finalturn._core import json_text
from finalturn._core.output.find import decode_whole, is_empty

__all__ = [
    "always_validated_here",
    "answer_on_result",
    "explicit_outcome",
    "limits_end_cleanly",
    "never_repaired",
    "no_needless_call",
    "own_retry_budget",
    "reuse_gate_strict",
    "schema_stays_out",
]


def explicit_outcome(trace: Trace) -> Iterator[Violation]:
    """With a response_format there is a status, and an object exactly when it is "ok"."""
    turn = read_turn(trace)
    placed_result = result_of(trace)
    if placed_result is None:
        return
    place, result = placed_result
    if turn.setup.mode == "plain":
        if result.structured_status is not None:
            yield Violation(place, "structured_status is None without a response_format")
    elif result.structured_status is None:
        yield Violation(place, "structured_status is not None with a response_format")
    if result.has_parsed != (result.structured_status == "ok"):
        yield Violation(place, 'parsed is set exactly when structured_status is "ok"')


def limits_end_cleanly(trace: Trace) -> Iterator[Violation]:
    """A result names its limit, has no object, and says of a limit of tool calls that none ran."""
    turn = read_turn(trace)
    placed_result = result_of(trace)
    if placed_result is None:
        return
    place, result = placed_result
    if (result.stop_reason == "limit_reached") != (result.limit is not None):
        yield Violation(place, 'limit says which one, exactly when stop_reason is "limit_reached"')
    last = turn.calls[-1] if turn.calls else None
    if result.limit is not None and result.has_parsed:
        yield Violation(place, "a turn that a limit ended has no object")
    for call in turn.calls:
        for refused, _ in call.refused:
            if call is not last or call.batches or result.limit != "tool_calls":
                yield Violation(refused, "a tool call is refused only where that ends the turn")
    if result.limit == "tool_calls" and not (last is not None and last.refused):
        yield Violation(place, "each tool call that would pass the limit is answered, and not run")


def answer_on_result(trace: Trace) -> Iterator[Violation]:
    """The answer's JSON text, what it says, and the message that keeps it, are on the result."""
    turn = read_turn(trace)
    placed_result = result_of(trace)
    if placed_result is None:
        return
    place, result = placed_result
    if result.structured_status != "ok":
        answered = turn.answer_call is not None or any(call.verdict == "valid" for call in turn.synthesis)
        if answered:
            yield Violation(place, 'structured_status is "ok", as an answer validated')
        return
    try:
        content_value: Any = json_text.decode(result.content, max_depth=200)
    except ValueError:
        yield Violation(place, "content is the answer's JSON text")
        return
    if not result.has_parsed or result.parsed != content_value:
        yield Violation(place, "parsed is what content says")
    if not result.messages or result.messages[-1].structured != result.content:
        yield Violation(place, "the last message has the answer's JSON text as structured")


def always_validated_here(trace: Trace) -> Iterator[Violation]:
    """An object comes of the last call, whose text was found to be an answer."""
    turn = read_turn(trace)
    placed_result = result_of(trace)
    if placed_result is None:
        return
    place, result = placed_result
    if result.has_parsed and (not turn.calls or turn.calls[-1].verdict != "valid"):
        yield Violation(place, "parsed comes of an answer that was validated")


def reuse_gate_strict(trace: Trace) -> Iterator[Violation]:
    """A reused answer is one JSON value, alone or in one fence, and says something."""
    turn = read_turn(trace)
    answer = turn.answer_call
    if answer is None or answer.end is None or turn.setup.mode != "final_turn":
        return
    try:
        empty = is_empty(decode_whole(answer.content)[1])
    except ValueError:
        yield Violation(answer.end[0], "an answer that is reused is one JSON value and nothing else")
        return
    if empty:
        yield Violation(answer.end[0], "an answer that is reused is not empty")


def never_repaired(trace: Trace) -> Iterator[Violation]:
    """The answer's text was written as it is, by a call that was not cut."""
    turn = read_turn(trace)
    placed_result = result_of(trace)
    if placed_result is None or not placed_result[1].has_parsed:
        return
    place, result = placed_result
    call: TracedCall | None = turn.calls[-1] if turn.calls else None
    if call is None or result.content not in call.content:
        yield Violation(place, "content stands, as it is, in the text of the call that gave the answer")
    elif call.end is not None and call.end[1].finish_reason == "length":
        yield Violation(place, "no answer is made of a call that the token limit cut")


def no_needless_call(trace: Trace) -> Iterator[Violation]:
    """No model call after an answer that is the object, or after a skip."""
    turn = read_turn(trace)
    answer, skipped = turn.answer_call, turn.skipped
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


def own_retry_budget(trace: Trace) -> Iterator[Violation]:
    """Validation retries have a budget of their own, and iterations another."""
    turn = read_turn(trace)
    most, iterations = turn.setup.max_iterations, 1
    retries = _retries(turn)
    for place in retries[turn.setup.max_retries :]:
        yield Violation(
            place, f"there are at most {turn.setup.max_retries} retries of answers that do not validate"
        )
    for before, call in zip(turn.loop, turn.loop[1:], strict=False):
        iterations += bool(before.batches)
        if before.batches and iterations > most:
            yield Violation(call.place, f"there are at most {most} loop calls, retries apart")
    placed_result = result_of(trace)
    if placed_result is None:
        return
    place, result = placed_result
    if result.stop_reason == "iteration_limit" and iterations < most:
        yield Violation(place, f"the limit is {most} loop calls, retries apart")
    last = turn.calls[-1].verdict if turn.calls else None
    again = ("invalid", "cut") if turn.setup.mode == "default" else ("invalid",)
    gave_up = result.structured_status == "validation_failed" and last in again and result.limit is None
    if gave_up and len(retries) < turn.setup.max_retries:
        yield Violation(place, f"there are {turn.setup.max_retries} retries before the turn gives up")


def _retries(turn: TracedTurn) -> list[int]:
    """The calls that ask again for an answer that did not validate; their places."""
    retries: list[int] = []
    empty_retried = turn.setup.mode == "final_turn"
    for before, call in zip(turn.loop, turn.loop[1:], strict=False):
        if before.batches:
            continue
        if before.verdict == "empty" and not empty_retried:
            # An empty answer is asked for again once, which is no validation retry.
            empty_retried = True
        else:
            retries.append(call.place)
    return retries + [call.place for call in turn.synthesis[1:]]
