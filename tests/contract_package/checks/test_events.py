"""The two events, and a skip: traces that break what is promised of them, and what is found."""

from __future__ import annotations

import pytest

from finalturn import StreamChunk, StreamEvent
from finalturn._contract.checks.events import reuse_signalled, skip_is_silent, synthesis_start_once
from finalturn.contract import (
    REUSE_SIGNALLED,
    SKIP_IS_SILENT,
    SYNTHESIS_START_ONCE,
    CallEnded,
    CallStarted,
    ModelText,
    Shown,
    Trace,
    TurnCancelled,
    TurnFailed,
    TurnResult,
    TurnSaved,
)
from tests.contract_package._traces import added, changed, clean, place, violations, without

START = Shown(StreamChunk(event=StreamEvent.STRUCTURED_SYNTHESIS_START, call=2))
REUSE = Shown(StreamChunk(event=StreamEvent.STRUCTURED_REUSE))


def test_the_clauses_have_these_checks() -> None:
    assert SYNTHESIS_START_ONCE.check is synthesis_start_once
    assert REUSE_SIGNALLED.check is reuse_signalled
    assert SKIP_IS_SILENT.check is skip_is_silent


class TestSynthesisStart:
    TRACE = clean("synthesis")
    EVENT = TRACE.records.index(START)
    CALL = place(TRACE, CallStarted, 2)

    def test_it_is_missing(self) -> None:
        expected = "structured_synthesis_start is shown before the synthesis call begins"
        assert violations(without(self.TRACE, self.EVENT), SYNTHESIS_START_ONCE) == [
            (self.CALL - 1, expected)
        ]

    def test_it_comes_late(self) -> None:
        late = added(without(self.TRACE, self.EVENT), self.CALL, START)
        assert violations(late, SYNTHESIS_START_ONCE) == [
            (self.CALL - 1, "structured_synthesis_start is shown before the synthesis call begins"),
            (self.CALL, "structured_synthesis_start is shown once, before the first synthesis call begins"),
        ]

    @pytest.mark.parametrize("number", [1, 2])
    def test_a_retry_repeats_it(self, number: int) -> None:
        at = place(self.TRACE, CallStarted, -1) if number == 1 else self.EVENT + 1
        expected = "structured_synthesis_start is shown once, before the first synthesis call begins"
        assert violations(added(self.TRACE, at, START), SYNTHESIS_START_ONCE) == [(at, expected)]

    @pytest.mark.parametrize("name", ["plain", "default", "reuse", "skip"])
    def test_there_is_no_synthesis(self, name: str) -> None:
        trace = clean(name)
        at = place(trace, TurnSaved)
        expected = "there is no structured_synthesis_start without a synthesis call"
        assert violations(added(trace, at, START), SYNTHESIS_START_ONCE) == [(at, expected)]

    @pytest.mark.parametrize("end", [TurnCancelled(), TurnFailed("ProviderError")], ids=repr)
    def test_a_turn_that_ends_just_then(self, end: TurnCancelled) -> None:
        cut = Trace((*self.TRACE.records[: self.EVENT + 1], end))
        assert violations(cut, SYNTHESIS_START_ONCE) == []
        twice = Trace((*self.TRACE.records[: self.EVENT + 1], START, end))
        expected = "there is no structured_synthesis_start without a synthesis call"
        assert violations(twice, SYNTHESIS_START_ONCE) == [(self.EVENT, expected)]


class TestReuse:
    TRACE = clean("reuse")
    EVENT = TRACE.records.index(REUSE)

    def test_it_is_missing(self) -> None:
        ended = place(self.TRACE, CallEnded)
        expected = "there is one structured_reuse before the result, as its text was shown"
        assert violations(without(self.TRACE, self.EVENT), REUSE_SIGNALLED) == [(ended, expected)]

    def test_it_is_missing_as_the_turn_was_left(self) -> None:
        left = Trace((*self.TRACE.records[: self.EVENT], TurnCancelled()))
        assert violations(left, REUSE_SIGNALLED) == []

    def test_it_comes_twice(self) -> None:
        expected = "there is one structured_reuse, after the text that is the answer"
        twice = added(self.TRACE, self.EVENT, REUSE)
        assert violations(twice, REUSE_SIGNALLED) == [(self.EVENT + 1, expected)]

    def test_it_comes_before_the_text(self) -> None:
        at = place(self.TRACE, ModelText, 1)
        early = added(without(self.TRACE, self.EVENT), at, REUSE)
        assert violations(early, REUSE_SIGNALLED) == [
            (at, "there is one structured_reuse, after the text that is the answer"),
            (
                place(early, CallEnded),
                "there is one structured_reuse before the result, as its text was shown",
            ),
        ]

    @pytest.mark.parametrize(
        "name", ["plain", "default", "synthesis", "held", "single_pass", "skip", "refused"]
    )
    def test_no_text_was_reused(self, name: str) -> None:
        trace = clean(name)
        at = place(trace, TurnSaved)
        expected = "there is no structured_reuse when no shown text is the answer"
        assert violations(added(trace, at, REUSE), REUSE_SIGNALLED) == [(at, expected)]

    def test_an_answer_that_is_reused_although_reuse_is_off(self) -> None:
        broken = changed(without(self.TRACE, self.EVENT), 0, reuse=False)
        expected = "there is one structured_reuse before the result, as its text was shown"
        assert violations(broken, REUSE_SIGNALLED) == [(place(broken, CallEnded), expected)]


class TestSkip:
    TRACE = clean("skip")
    AT = place(TRACE, TurnSaved)

    @pytest.mark.parametrize("event", [START, REUSE], ids=repr)
    def test_an_event(self, event: Shown) -> None:
        expected = "no event is shown in a turn that is skipped"
        assert violations(added(self.TRACE, self.AT, event), SKIP_IS_SILENT) == [(self.AT, expected)]

    def test_a_call(self) -> None:
        call = CallStarted(1, "synthesis", schema_sent=True, tools=(), messages=())
        expected = "no model call is made once the predicate has said no"
        assert violations(added(self.TRACE, self.AT, call), SKIP_IS_SILENT) == [(self.AT, expected)]

    def test_another_turn_may_show_events(self) -> None:
        assert violations(clean("asked"), SKIP_IS_SILENT) == []
        assert place(clean("asked"), TurnResult)
