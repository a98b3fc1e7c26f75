"""Each declaration makes one promise, speaks of public objects, and is proved."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import finalturn
import tests.contract
from finalturn._core.turn import TABLE
from finalturn.contract import CLAUSES, Clause
from tests.contract._proves import PROOFS

for module in pkgutil.iter_modules(tests.contract.__path__):
    if module.name.startswith("test_"):
        importlib.import_module(f"tests.contract.{module.name}")


@pytest.mark.parametrize("clause", CLAUSES, ids=str)
def test_a_statement_makes_one_promise(clause: Clause) -> None:
    assert len(re.findall(r"\bMUST NOT\b|\bMUST\b|\bMAY\b", clause.statement)) == 1
    assert clause.statement.endswith(".")
    assert clause.why.endswith(".")
    assert clause.surfaces


@pytest.mark.parametrize("clause", CLAUSES, ids=str)
def test_a_clause_speaks_of_public_objects(clause: Clause) -> None:
    public = [getattr(finalturn, name) for name in finalturn.__all__]
    for thing in clause.about:
        if isinstance(thing, str):
            # It needs an extra, and is named by its path.
            module, _, name = thing.rpartition(".")
            assert name in importlib.import_module(module).__all__
        else:
            assert any(thing is one for one in public), f"{thing} is not exported from finalturn"
    assert clause.about


@pytest.mark.parametrize("clause", CLAUSES, ids=str)
def test_every_clause_has_a_proof(clause: Clause) -> None:
    assert clause.id in PROOFS


def test_every_rule_of_the_machine_serves_the_contract() -> None:
    upheld = {clause for rule in TABLE for clause in rule.upholds}
    assert upheld <= {clause.id for clause in CLAUSES}
