"""The contract's tests as cases."""

from __future__ import annotations

from finalturn.contract import CLAUSES
from tools.mutants._cases import PLAYS, TABLE_PLAYS, cases, is_blocking, play_of, unreadable

CASES = cases()


def test_every_clause_has_cases() -> None:
    assert {clause for case in CASES for clause in case.clauses} == {clause.id for clause in CLAUSES}


def test_cases_are_played_under_some_drivers_only() -> None:
    assert {play_of(case) for case in CASES} >= set(PLAYS)
    plays: dict[object, set[tuple[str, str]]] = {}
    for case in CASES:
        plays.setdefault(case.test, set()).add(play_of(case))
    assert all(found <= set(PLAYS) or len(found) == 1 for found in plays.values())


def test_every_proof_can_be_read() -> None:
    assert unreadable() == []


def test_blocking_cases_are_told_apart() -> None:
    assert {case.driver for case in CASES if is_blocking(case)} == {"run", "stream"}
    assert set(TABLE_PLAYS) <= set(PLAYS)
