"""The check of how often a turn asks again."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn._contract.traces.trace import Trace, Violation
from finalturn._contract.traces.turn import Turn, read_turn, result_of

__all__ = ["own_retry_budget"]


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
    found = result_of(trace)
    if found is None:
        return
    place, result = found
    if result.stop_reason == "iteration_limit" and iterations < most:
        yield Violation(place, f"the limit is {most} loop calls, retries apart")
    last = turn.calls[-1].verdict if turn.calls else None
    again = ("invalid", "cut") if turn.setup.mode == "default" else ("invalid",)
    gave_up = result.structured_status == "validation_failed" and last in again
    if gave_up and len(retries) < turn.setup.max_retries:
        yield Violation(place, f"there are {turn.setup.max_retries} retries before the turn gives up")


def _retries(turn: Turn) -> list[int]:
    """The calls that ask again for an answer that did not validate; their places."""
    found: list[int] = []
    empty_retried = turn.setup.mode == "final_turn"
    for before, call in zip(turn.loop, turn.loop[1:], strict=False):
        if before.batches:
            continue
        if before.verdict == "empty" and not empty_retried:
            # An empty answer is asked for again once, which is no validation retry.
            empty_retried = True
        else:
            found.append(call.place)
    return found + [call.place for call in turn.synthesis[1:]]
