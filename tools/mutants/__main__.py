"""``python -m tools.mutants``: fails when a mutant survives, or when an excuse for one is stale."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from finalturn.contract import CLAUSES
from finalturn.core.turn import TABLE
from tools.contractdocs._evidence_cases import Case
from tools.mutants import _report as report
from tools.mutants._all import all_mutants
from tools.mutants._cases import cases
from tools.mutants._code import ROOT
from tools.mutants._excuses import FILE, excuse_of, read_excuses
from tools.mutants._mutant import Mutant
from tools.mutants._places import places_of_clauses, places_of_rules
from tools.mutants._verdict import Claim, Judge
from tools.mutants._workers import workers


def main() -> int:
    """Run every mutant against the proofs of its clauses."""
    started = time.perf_counter()
    mutants, unfitting = all_mutants()
    found = cases()
    if not mutants or not found:
        print(
            f"MUTANTS looked at nothing: {len(mutants)} mutants and {len(found)} proofs -> there must be both"
        )
        return 1
    problems, summary = _judged(mutants, found)
    problems = [*report.unfitting(unfitting), *problems]
    for line in problems:
        print(line)
    print(f"mutants: {summary} ({time.perf_counter() - started:.0f} s)")
    return 1 if problems else 0


def _judged(mutants: Sequence[Mutant], found: Sequence[Case]) -> tuple[list[str], str]:
    with workers() as pool:
        recorded = pool.record(len(found))
        if broken := list(report.failing(found, recorded)):
            return broken, f"none was run: {len(broken)} proofs fail without any"
        verdict = Judge(mutants, found, recorded, pool.kill).verdict(list(_claims()))
    text = (ROOT / FILE).read_text(encoding="utf-8")
    excuses = read_excuses(text)
    survive = [one for one in verdict.survivors if excuse_of(one.name, excuses) is None]
    excused = len(verdict.survivors) - len(survive)
    problems = [
        *report.survivors(verdict.survivors, excuses),
        *report.stale(verdict.survivors, excuses, text),
        *report.toothless(verdict.toothless, places_of_rules(TABLE), places_of_clauses()),
    ]
    killed = len(mutants) - len(verdict.survivors)
    return problems, (
        f"{len(mutants)} made, {killed} killed by a proof of their clauses, {excused} excused,"
        f" {len(survive)} survive"
    )


def _claims() -> Iterator[Claim]:
    """Everything that is said to keep a clause, and each clause as such."""
    yield from (Claim(clause.id) for clause in CLAUSES)
    yield from (Claim(clause, rule=rule.name) for rule in TABLE for clause in rule.upholds)
    for clause in CLAUSES:
        yield from (Claim(clause.id, module=f"src/{name.replace('.', '/')}") for name in clause.kept_by)


if __name__ == "__main__":
    sys.exit(main())
