"""The contract as a whole: each id of the core is declared once, and exported."""

from __future__ import annotations

from typing import get_args

from finalturn import contract
from finalturn._core.clauses import ClauseId


def test_each_id_is_declared_once() -> None:
    assert sorted(clause.id for clause in contract.CLAUSES) == sorted(get_args(ClauseId))


def test_each_clause_is_exported_under_its_id() -> None:
    for clause in contract.CLAUSES:
        name = clause.id.upper().replace("-", "_")
        assert getattr(contract, name) is clause
        assert name in contract.__all__


def test_a_clause_reads_as_its_id() -> None:
    assert str(contract.HELD_JSON) == "held-json"
