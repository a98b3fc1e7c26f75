"""How a turn ends, and what chunks say of where they come from: what breaks it, and what is found."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import StreamChunk, StreamEvent, Usage
from finalturn._contract.checks.ends import (
    answer_call_known,
    close_stops_work,
    result_is_last,
    usage_complete,
)
from finalturn.contract import (
    ANSWER_CALL_KNOWN,
    CLOSE_STOPS_WORK,
    RESULT_IS_LAST,
    USAGE_COMPLETE,
    CallEnded,
    CallStarted,
    Record,
    Shown,
    ToolsStarted,
    Trace,
    TurnCancelled,
    TurnFailed,
    TurnResult,
    TurnSaved,
    verify,
)
from tests.contract_package._traces import TURNS, added, changed, clean, place, violations, without


def test_the_clauses_have_these_checks() -> None:
    assert RESULT_IS_LAST.check is result_is_last
    assert ANSWER_CALL_KNOWN.check is answer_call_known
    assert CLOSE_STOPS_WORK.check is close_stops_work
    assert USAGE_COMPLETE.check is usage_complete


class TestResultIsLast:
    TRACE = clean("plain")
    END = len(TRACE.records)

    @pytest.mark.parametrize(
        "after",
        [Shown(StreamChunk("x")), TurnFailed("LookupError"), TurnSaved()],
        ids=lambda one: type(one).__name__,
    )
    def test_something_follows_it(self, after: Record) -> None:
        expected = "nothing follows the end of the turn"
        assert violations(added(self.TRACE, self.END, after), RESULT_IS_LAST) == [(self.END, expected)]

    def test_a_second_result(self) -> None:
        twice = added(self.TRACE, self.END, self.TRACE.records[-1])
        assert violations(twice, RESULT_IS_LAST) == [(self.END, "nothing follows the end of the turn")]

    def test_a_turn_that_is_still_under_way(self) -> None:
        (found,) = verify(without(self.TRACE, self.END - 1), [RESULT_IS_LAST])
        assert (found.outcome, found.text) == ("undecidable", "the trace stops before the turn's end")


class TestAnswerCall:
    TRACE = clean("synthesis")

    @pytest.mark.parametrize("number", range(5))
    def test_a_chunk_of_another_call(self, number: int) -> None:
        at = place(self.TRACE, Shown, number)
        one = self.TRACE.records[at]
        assert isinstance(one, Shown)
        chunk = one.chunk
        call = chunk.call
        values: dict[str, Any] = {name: getattr(chunk, name) for name in StreamChunk.__match_args__}
        values["call"] = call + 1
        moved = StreamChunk(**values)
        expected = f"the chunk belongs to call {call}"
        assert violations(changed(self.TRACE, at, chunk=moved), ANSWER_CALL_KNOWN) == [(at, expected)]

    def test_an_event_that_does_not_name_what_it_announces(self) -> None:
        at = place(self.TRACE, Shown, -1)
        chunk = StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=1)
        expected = "the chunk belongs to call 2"
        assert violations(changed(self.TRACE, at, chunk=chunk), ANSWER_CALL_KNOWN) == [(at, expected)]

    def test_two_calls_of_one_index(self) -> None:
        at = place(self.TRACE, CallStarted, -1)
        broken = changed(self.TRACE, at, call=2)
        assert violations(broken, ANSWER_CALL_KNOWN) == [(at, "this is model call 3")]

    @pytest.mark.parametrize("name", TURNS)
    def test_another_answer_call(self, name: str) -> None:
        trace = clean(name)
        result = trace.records[-1]
        assert isinstance(result, TurnResult)
        wrong = 0 if result.answer_call != 0 else None
        expected = f"answer_call is {result.answer_call}"
        broken = changed(trace, len(trace.records) - 1, answer_call=wrong)
        assert violations(broken, ANSWER_CALL_KNOWN) == [(len(trace.records) - 1, expected)]


class TestCloseStopsWork:
    def test_something_is_done_after_it(self) -> None:
        trace = clean("tools")
        at = place(trace, ToolsStarted)
        broken = added(trace, at, TurnCancelled())
        found = violations(broken, CLOSE_STOPS_WORK)
        assert found[0] == (at + 1, "nothing is done or shown once the turn is left")
        assert len(found) == len(trace.records) - at

    def test_what_a_trace_does_not_show(self) -> None:
        trace = clean("plain")
        left = Trace((*trace.records[:-2], TurnCancelled()))
        (found,) = verify(left, [CLOSE_STOPS_WORK])
        expected = "a trace does not show whether the model's connection was freed"
        assert (found.outcome, found.text) == ("undecidable", expected)


class TestUsage:
    TRACE = clean("synthesis")
    END = len(TRACE.records) - 1

    def test_a_call_that_is_not_counted(self) -> None:
        at = place(self.TRACE, CallEnded, 1)
        broken = changed(self.TRACE, at, usage=Usage(output_tokens=1))
        expected = "the usage is the sum of that of all model calls"
        assert violations(broken, USAGE_COMPLETE) == [(self.END, expected)]

    def test_another_number_of_calls(self) -> None:
        broken = changed(self.TRACE, self.END, model_calls=3)
        assert violations(broken, USAGE_COMPLETE) == [(self.END, "model_calls is 4")]

    def test_a_turn_that_fails_has_no_usage_here(self) -> None:
        failed = Trace((*self.TRACE.records[: self.END], TurnFailed("SessionError")))
        assert violations(failed, USAGE_COMPLETE) == []
