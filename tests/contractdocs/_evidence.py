"""A run in which everything was proved, and how it is spoiled."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from finalturn.contract import CLAUSES
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.checks.proofs import required
from tools.contractdocs.evidence.model import Evidence, Proof
from tools.contractdocs.project import Project

FILE = "tests/contract/test_x.py"


def _case(clause: str, surface: str, driver: str, kind: str) -> Proof:
    return Proof((clause,), "test_it", FILE, 10, driver, kind, frozenset({surface}), "passed")


WHOLE = Evidence(
    proofs=tuple(
        _case(clause.id, surface.value, driver, kind)
        for clause in CLAUSES
        for surface in sorted(clause.surfaces)
        for driver, kind in required(surface.value)
    )
)
"""Each combination is proved by one case."""


def with_evidence(evidence: Evidence = WHOLE, **changes: Any) -> Project:
    """The repository after this run."""
    return replace(PROJECT, evidence=replace(evidence, **changes))


def without(clause: str, surface: str, drivers: tuple[str, ...], kinds: tuple[str, ...]) -> Project:
    """The repository after a run that has some proofs less."""
    kept = [
        proof
        for proof in WHOLE.proofs
        if not (
            proof.clauses == (clause,)
            and surface in proof.read
            and proof.driver in drivers
            and proof.kind in kinds
        )
    ]
    return with_evidence(proofs=tuple(kept))


def one_case(**changes: Any) -> Proof:
    """A case that proves held-json on chunks, but for these changes."""
    return replace(_case("held-json", "chunks", "stream", "http"), **{"test": "test_mine", **changes})
