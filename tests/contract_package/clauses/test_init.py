"""The list of all clauses: each id of the core is declared once, in the contract's order, and exported."""

from __future__ import annotations

from typing import get_args

from finalturn import contract
from finalturn._core.turn.table import ClauseId


def test_clauses_stand_in_the_order_of_their_ids() -> None:
    assert [clause.id for clause in contract.CLAUSES] == list(get_args(ClauseId))


def test_each_clause_is_exported_under_its_id() -> None:
    names: list[str] = vars(contract)["__all__"]
    for clause in contract.CLAUSES:
        name = clause.id.upper().replace("-", "_")
        assert getattr(contract, name) is clause
        assert names.count(name) == 1


def test_a_clause_reads_as_its_id() -> None:
    assert str(contract.HELD_JSON) == "held-json"
