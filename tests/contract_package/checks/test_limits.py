"""Turns that reach a limit: what breaks the promises about them, and what is found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finalturn import Agent, Limits, StreamChunk, Usage
from finalturn._contract.checks.outcome import limits_end_cleanly
from finalturn._core.observers import ChunkDelivered, ModelCallStarted, PredicateAsked, TurnEvent
from finalturn.contract import (
    HISTORY_IS_WHAT_WAS_SHOWN,
    LIMITS_END_CLEANLY,
    PREDICATE_ERRORS_PROPAGATE,
    TOOL_MESSAGES_IN_CALL_ORDER,
    TOOL_RESULT_MARKS_SUCCESS,
    USAGE_COMPLETE,
    Shown,
    Trace,
    TurnResult,
    TurnSaved,
    verify,
)
from finalturn.providers import Scripted
from tests.contract._late import Late, clock
from tests.contract._scenes import HOLD, LOOKUP, Ticket, lookup, skipping
from tests.contract_package._recorded import left_after
from tests.contract_package._traces import HISTORY, changed, clean, place, violations, without

ASKED = skipping(False)


def late(kind: type[TurnEvent], number: int, *calls: Any, **parts: Any) -> Trace:
    """The trace of a turn in which it gets too late."""
    with clock() as told:
        observers = [Late(told, kind, number)]
        agent: Agent[Any] = Agent(
            Scripted(*calls), tools=[lookup], limits=Limits(seconds=60), observers=observers, **parts
        )
        return left_after(agent, HISTORY, None)


STRUCTURED: dict[str, Any] = {"response_format": Ticket, "structured_output": ASKED}
LATE: dict[str, Trace] = {
    "in a call": late(ChunkDelivered, 1, ["Hello ", "there"]),
    "in a held call": late(
        ChunkDelivered, 1, ["Hello ", "there\n", "more"], response_format=Ticket, structured_output=HOLD
    ),
    "before a word": late(ModelCallStarted, 1, "never"),
    "after a tool": late(ModelCallStarted, 2, ["Look. ", LOOKUP], "never"),
    "before a tool": late(ChunkDelivered, 2, ["Look. ", LOOKUP]),
    "in the predicate": late(PredicateAsked, 1, "Done.", **STRUCTURED),
    "in a synthesis": late(ModelCallStarted, 2, "Done.", "never", **STRUCTURED),
}


def test_the_clause_has_this_check() -> None:
    assert LIMITS_END_CLEANLY.check is limits_end_cleanly


@pytest.mark.parametrize("name", LATE)
def test_a_turn_that_time_ends_breaks_nothing(name: str) -> None:
    trace = LATE[name]
    result = trace.records[-1]
    assert isinstance(result, TurnResult)
    assert result.limit == "seconds"
    assert [finding for finding in verify(trace) if finding.outcome == "violated"] == []


class TestTheLimit:
    TRACE = clean("too many tools")
    END = len(TRACE.records) - 1

    def test_it_is_not_named(self) -> None:
        problem = 'limit says which one, exactly when stop_reason is "limit_reached"'
        assert (self.END, problem) in violations(
            changed(self.TRACE, self.END, limit=None), LIMITS_END_CLEANLY
        )
        done = changed(self.TRACE, self.END, stop_reason="completed")
        assert violations(done, LIMITS_END_CLEANLY) == [(self.END, problem)]

    def test_there_is_an_object(self) -> None:
        trace = changed(self.TRACE, self.END, has_parsed=True)
        assert violations(trace, LIMITS_END_CLEANLY) == [
            (self.END, "a turn that a limit ended has no object")
        ]

    def test_another_limit_refuses_no_tool(self) -> None:
        trace = changed(self.TRACE, self.END, limit="requests")
        problem = "a tool call is refused only where that ends the turn"
        first = place(self.TRACE, Shown, -2)
        assert violations(trace, LIMITS_END_CLEANLY) == [(first, problem), (first + 1, problem)]

    def test_no_tool_is_refused(self) -> None:
        trace = changed(clean("a limit"), len(clean("a limit").records) - 1, limit="tool_calls")
        problem = "each tool call that would pass the limit is answered, and not run"
        assert violations(trace, LIMITS_END_CLEANLY) == [(len(trace.records) - 1, problem)]


class TestRefusedTools:
    TRACE = clean("too many tools")
    LAST = place(TRACE, Shown, -1)

    def test_one_is_missing(self) -> None:
        problem = "one TOOL message is shown for each call that is refused"
        assert violations(without(self.TRACE, self.LAST), TOOL_MESSAGES_IN_CALL_ORDER) == [
            (self.LAST - 1, problem)
        ]

    def test_one_comes_twice(self) -> None:
        records = self.TRACE.records
        trace = Trace((*records[: self.LAST], records[self.LAST], *records[self.LAST :]))
        problem = "each call that is refused has one TOOL message, in call order"
        assert violations(trace, TOOL_MESSAGES_IN_CALL_ORDER) == [(self.LAST + 1, problem)]

    def test_one_has_a_result(self) -> None:
        record = self.TRACE.records[self.LAST]
        assert isinstance(record, Shown) and record.chunk.tool_message is not None
        message = replace(record.chunk.tool_message, tool_result="done", tool_failure=None)
        trace = changed(self.TRACE, self.LAST, chunk=StreamChunk(tool_message=message, call=0))
        problem = "tool_result is None, as the tool did not return"
        assert violations(trace, TOOL_RESULT_MARKS_SUCCESS) == [(self.LAST, problem)]


class TestAStoppedCall:
    TRACE = LATE["in a call"]
    END = len(TRACE.records) - 1

    def test_what_it_has_used_counts(self) -> None:
        trace = changed(self.TRACE, self.END, usage=Usage())
        problem = "the usage is the sum of that of all model calls"
        assert violations(trace, USAGE_COMPLETE) == [(self.END, problem)]

    def test_what_others_have_used_before_it_may_count(self) -> None:
        trace = changed(self.TRACE, self.END, usage=Usage(input_tokens=5, unreported_calls=1))
        assert violations(trace, USAGE_COMPLETE) == []

    def test_what_was_shown_is_left(self) -> None:
        trace = changed(self.TRACE, self.END, messages=(HISTORY[-1],))
        problem = "messages[1] is what was shown, with the answer attached"
        assert violations(trace, HISTORY_IS_WHAT_WAS_SHOWN) == [(self.END, problem)]


def test_a_predicate_that_gave_no_answer_ends_another_turn_with_its_exception() -> None:
    trace = LATE["in the predicate"]
    end = len(trace.records) - 1
    wrong = changed(trace, end, limit="requests")
    problem = "a predicate that gives no answer ends the turn with its exception"
    assert violations(wrong, PREDICATE_ERRORS_PROPAGATE) == [(place(trace, TurnSaved), problem)]
