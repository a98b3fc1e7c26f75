"""From mutants, cases and what runs them to the lines that are printed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from tools.contractdocs.evidence.cases import Case
from tools.contractdocs.evidence.model import Broken
from tools.mutants import _report as report
from tools.mutants._excuses import excuse_of, read_excuses
from tools.mutants._mutant import Mutant
from tools.mutants._run import Recorded
from tools.mutants._saboteur import Unfitting
from tools.mutants._verdict import Claim, Judge, Task


class Pool(Protocol):
    """Runs cases."""

    def record(self, count: int) -> list[Recorded]: ...
    def kill(self, tasks: Sequence[Task]) -> list[int | None]: ...


@dataclass(frozen=True)
class Work:
    """What is to be looked at.

    Attributes:
        mutants: all of them.
        unfitting: saboteurs that cannot act.
        cases: the contract's tests.
        broken: those that cannot be read.
        claims: what must have teeth.
        excuses: the text of the file with excuses.
        rules: the places of rules.
        clauses: the places of clauses.
    """

    mutants: Sequence[Mutant]
    unfitting: Sequence[Unfitting]
    cases: Sequence[Case]
    broken: Sequence[Broken]
    claims: Sequence[Claim]
    excuses: str
    rules: report.Places
    clauses: report.Places


def outcome(work: Work, workers: AbstractContextManager[Pool]) -> tuple[list[str], str]:
    """The problems, and one line that sums up."""
    mutants, cases = work.mutants, work.cases
    if not mutants or not cases:
        nothing = f"MUTANTS looked at nothing: there are {len(mutants)} mutants and {len(cases)} proofs"
        return [f"{nothing} -> find out where they are gone"], "none was run"
    problems = [*report.broken(work.broken), *report.unfitting(work.unfitting)]
    with workers as pool:
        recorded = pool.record(len(cases))
        if broken := list(report.failing(cases, recorded)):
            return [*problems, *broken], f"none was run: {len(broken)} proofs fail without any"
        verdict = Judge(mutants, cases, recorded, pool.kill).verdict(work.claims)
    excuses = read_excuses(work.excuses)
    problems += report.survivors(verdict.survivors, excuses)
    problems += report.stale(verdict.survivors, excuses, work.excuses)
    problems += report.toothless(verdict.toothless, work.rules, work.clauses)
    survive = [one for one in verdict.survivors if excuse_of(one.name, excuses) is None]
    killed = len(mutants) - len(verdict.survivors)
    excused = len(verdict.survivors) - len(survive)
    return problems, (
        f"{len(mutants)} made, {killed} killed by a proof of their clauses, {excused} excused,"
        f" {len(survive)} survive"
    )
