"""How often a turn asks again: traces that break what is promised of it, and what is found."""

from __future__ import annotations

import pytest

from finalturn import StructuredOutputConfig
from finalturn._contract.checks.budget import own_retry_budget
from finalturn.contract import OWN_RETRY_BUDGET, CallEnded, CallStarted, Trace, TurnFailed, TurnResult
from tests.contract_package._traces import changed, clean, place, violations


def test_the_clause_has_this_check() -> None:
    assert OWN_RETRY_BUDGET.check is own_retry_budget
    assert StructuredOutputConfig().max_validation_retries == 2


@pytest.mark.parametrize(("name", "number"), [("given up", -1), ("synthesis", -1), ("default", -1)])
def test_a_retry_too_many(name: str, number: int) -> None:
    trace = clean(name)
    at = place(trace, CallStarted, number)
    most = sum(isinstance(one, CallStarted) for one in trace.records) - 2 - 2 * (name == "synthesis")
    expected = f"there are at most {most} retries of answers that do not validate"
    assert violations(changed(trace, 0, max_retries=most), OWN_RETRY_BUDGET) == [(at, expected)]


def test_retries_use_no_iterations() -> None:
    assert violations(changed(clean("given up"), 0, max_iterations=1), OWN_RETRY_BUDGET) == []


def test_an_iteration_too_many() -> None:
    trace = clean("tools")
    at = place(trace, CallStarted, 1)
    expected = "there are at most 1 loop calls, retries apart"
    assert violations(changed(trace, 0, max_iterations=1), OWN_RETRY_BUDGET) == [(at, expected)]


def test_a_limit_that_was_not_reached() -> None:
    trace = clean("limit")
    expected = "the limit is 3 loop calls, retries apart"
    broken = changed(trace, 0, max_iterations=3)
    assert violations(broken, OWN_RETRY_BUDGET) == [(len(trace.records) - 1, expected)]


def test_giving_up_too_early() -> None:
    trace = clean("given up")
    at = len(trace.records) - 1
    expected = "there are 3 retries before the turn gives up"
    assert violations(changed(trace, 0, max_retries=3), OWN_RETRY_BUDGET) == [(at, expected)]
    refused = changed(trace, place(trace, CallEnded, -1), verdict="refused")
    assert violations(changed(refused, 0, max_retries=3), OWN_RETRY_BUDGET) == []


def test_one_empty_answer_is_asked_for_again_besides() -> None:
    trace = changed(clean("given up"), 0, max_retries=1)
    first, second = place(trace, CallEnded, 0), place(trace, CallEnded, 1)
    assert violations(changed(trace, first, verdict="empty"), OWN_RETRY_BUDGET) == []
    twice = changed(
        changed(changed(trace, 0, max_retries=0), first, verdict="empty"), second, verdict="empty"
    )
    at = place(trace, CallStarted, 2)
    expected = "there are at most 0 retries of answers that do not validate"
    assert violations(twice, OWN_RETRY_BUDGET) == [(at, expected)]


def test_a_turn_that_fails() -> None:
    trace = clean("given up")
    failed = Trace((*trace.records[:-1], TurnFailed("SessionError")))
    assert violations(changed(failed, 0, max_retries=9), OWN_RETRY_BUDGET) == []
    assert isinstance(trace.records[-1], TurnResult)
