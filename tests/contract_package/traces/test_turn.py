"""A trace read into the calls of its turn."""

from __future__ import annotations

import pytest

from finalturn import StreamChunk
from finalturn._contract.traces.conversation import first_difference
from finalturn._contract.traces.turn import places, read_turn, result_of, setup_of
from finalturn.contract import (
    CallEnded,
    CallStarted,
    Shown,
    ToolOutcomeRecorded,
    ToolsStarted,
    Trace,
    TurnCancelled,
    TurnResult,
    TurnSaved,
    Undecidable,
)
from tests.contract._scenes import ANSWER, INVALID
from tests.contract_package._traces import added, changed, clean, place, without


def test_a_turn_has_its_calls() -> None:
    trace = clean("synthesis")
    turn = read_turn(trace)
    assert [call.content for call in turn.calls] == ["Look. ", "Done.", INVALID, ANSWER]
    assert [call.shown for call in turn.calls] == ["Look. ", "Done.", "", ""]
    assert [call.verdict for call in turn.calls] == ["calls", "invalid", "invalid", "valid"]
    assert [call.in_loop for call in turn.calls] == [True, True, False, False]
    assert (turn.loop, turn.synthesis) == (turn.calls[:2], turn.calls[2:])
    assert all(call.over for call in turn.calls)
    assert (turn.status, turn.answer_call, turn.skipped) == ("ok", None, None)


def test_a_call_has_its_tools() -> None:
    trace = clean("tools")
    call, other = read_turn(trace).calls
    (batch,) = call.batches
    assert len(call.announced) == len(batch.outcomes) == 2
    assert first_difference([message for _, message in batch.shown], batch.messages) is None
    assert batch.over and other.batches == []
    assert (batch.place, batch.started) == (place(trace, ToolsStarted), trace.records[batch.place])


def test_a_call_thinks_aloud_and_writes() -> None:
    (call,) = read_turn(clean("plain")).calls
    assert (call.thought, call.written, call.pieces) == (["hm"], ["Hel", "lo"], [(5, "Hel"), (7, "lo")])


def test_a_call_that_did_not_end_has_the_text_that_there_is() -> None:
    trace = clean("plain")
    at = place(trace, CallEnded)
    (call,) = read_turn(Trace((*trace.records[:at], TurnCancelled()))).calls
    assert (call.content, call.verdict, call.over) == ("Hello", None, False)


@pytest.mark.parametrize(
    ("name", "call"),
    [("plain", None), ("default", 1), ("reuse", 0), ("held", 1), ("single_pass", 1), ("no reuse", None)],
)
def test_the_answer_that_is_taken(name: str, call: int | None) -> None:
    turn = read_turn(clean(name))
    assert (None if turn.answer_call is None else turn.calls.index(turn.answer_call)) == call


def test_an_answer_that_was_taken_although_reuse_is_off() -> None:
    trace = changed(clean("reuse"), 0, reuse=False)
    assert read_turn(trace).answer_call is not None
    assert read_turn(without(trace, len(trace.records) - 1)).answer_call is None


def test_the_predicate_said_no() -> None:
    turn = read_turn(clean("skip"))
    (asked,), (answer,) = turn.predicate_calls, turn.answers
    assert (asked[0] + 1, answer[0]) == (answer[0], turn.skipped)


def test_tools_are_under_way_until_the_turn_goes_on() -> None:
    trace = clean("limit")
    at = place(trace, ToolsStarted, -1)
    under_way = Trace(trace.records[: at + 1])
    assert not read_turn(under_way).calls[-1].batches[-1].over
    for kind in (TurnSaved, TurnResult):
        later = Trace((*under_way.records, trace.records[place(trace, kind)]))
        assert read_turn(later).calls[-1].batches[-1].over


def test_odd_traces_can_be_read() -> None:
    trace = clean("tools")
    outcome = ToolOutcomeRecorded(9, succeeded=True, text="", terminal=False)
    begun = place(trace, CallStarted)
    odd = added(trace, begun + 1, outcome, *trace.records[place(trace, CallEnded) :])
    assert len(read_turn(odd).calls) > 2
    before = added(trace, begun, outcome, Shown(StreamChunk("x")))
    assert len(read_turn(before).calls) == 2
    stray = added(trace, begun + 1, trace.records[place(trace, ToolsStarted) + 3])
    assert read_turn(stray).calls[0].strays == [begun + 1]


class TestMissing:
    def test_the_beginning(self) -> None:
        shown = Trace((Shown(StreamChunk("a")),))
        for read in (setup_of, read_turn):
            with pytest.raises(Undecidable, match="needs the turn_started record"):
                read(shown)

    def test_the_end(self) -> None:
        trace = clean("plain")
        with pytest.raises(Undecidable, match="stops before the turn's end"):
            result_of(without(trace, len(trace.records) - 1))
        assert result_of(Trace((TurnCancelled(),))) is None
        assert result_of(trace) == (len(trace.records) - 1, trace.records[-1])


def test_the_places_of_a_kind() -> None:
    found = [at for at, _ in places(clean("plain"), Shown)]
    assert found == [3, 5, 7]
