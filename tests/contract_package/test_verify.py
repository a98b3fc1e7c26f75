"""Checking a trace: one finding for each clause, or for each violation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from finalturn import StreamChunk
from finalturn.contract import (
    CLAUSES,
    HELD_JSON,
    RESULT_IS_LAST,
    SURFACE_PARITY,
    SYNTHESIS_NEVER_STREAMS,
    Check,
    Finding,
    Shown,
    Trace,
    Undecidable,
    Violation,
    verify,
)
from tests.contract_package._traces import TURNS, added, clean

TRACE = clean("synthesis")


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_that_goes_as_it_should(name: str) -> None:
    found = verify(clean(name))
    assert [one.clause for one in found] == list(CLAUSES)
    assert {one.outcome for one in found} == {"upheld", "undecidable"}
    assert all(one.text for one in found if one.outcome == "undecidable")


def test_a_violation_names_its_record() -> None:
    end = len(TRACE.records)
    broken = added(TRACE, end, Shown(StreamChunk("x")))
    assert verify(broken, [SYNTHESIS_NEVER_STREAMS, RESULT_IS_LAST]) == [
        Finding(SYNTHESIS_NEVER_STREAMS, "violated", end, "nothing of a synthesis call is shown"),
        Finding(RESULT_IS_LAST, "violated", end, "nothing follows the end of the turn"),
    ]


def test_what_is_upheld_says_no_more() -> None:
    assert verify(TRACE, [HELD_JSON]) == [Finding(HELD_JSON, "upheld")]


def test_a_clause_without_a_check_is_not_decidable() -> None:
    assert verify(TRACE, [SURFACE_PARITY]) == [
        Finding(SURFACE_PARITY, "undecidable", text="a trace of one turn cannot show it")
    ]


def checking(check: Check) -> list[Finding]:
    return verify(TRACE, [replace(HELD_JSON, check=check)])


def test_what_a_check_lacks_is_told() -> None:
    def check(trace: Trace) -> Iterator[Violation]:
        raise Undecidable("needs the moon")

    (found,) = checking(check)
    assert (found.outcome, found.record, found.text) == ("undecidable", None, "needs the moon")


def test_what_was_found_before_it_was_lacking_counts() -> None:
    def check(trace: Trace) -> Iterator[Violation]:
        yield Violation(1, "one")
        yield Violation(0, "two")
        raise Undecidable("needs the moon")

    assert [(one.outcome, one.record, one.text) for one in checking(check)] == [
        ("violated", 1, "one"),
        ("violated", 0, "two"),
    ]


def test_an_empty_trace_breaks_nothing() -> None:
    outcomes = {one.clause.id: one.outcome for one in verify(Trace(()))}
    assert "violated" not in outcomes.values()
    assert {clause for clause, outcome in outcomes.items() if outcome == "upheld"} == {
        "close-stops-work",
        "round-trip-exact",
    }
