"""``python -m tools.mutants``: fails when a mutant survives, or when an excuse for one is stale."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

from finalturn._core.turn import TABLE
from finalturn.contract import CLAUSES
from tools.mutants._all import all_mutants
from tools.mutants._cases import cases, unreadable
from tools.mutants._code import ROOT
from tools.mutants._excuses import FILE
from tools.mutants._outcome import Work, outcome
from tools.mutants._places import places_of_clauses, places_of_rules
from tools.mutants._verdict import Claim
from tools.mutants._workers import workers


def main() -> int:
    """Run every mutant against the proofs of its clauses."""
    started = time.perf_counter()
    mutants, unfitting = all_mutants()
    work = Work(
        mutants=mutants,
        unfitting=unfitting,
        cases=cases(),
        broken=unreadable(),
        claims=list(claims()),
        excuses=(ROOT / FILE).read_text(encoding="utf-8"),
        rules=places_of_rules(TABLE),
        clauses=places_of_clauses(),
    )
    problems, summary = outcome(work, workers())
    for line in problems:
        print(line)
    print(f"mutants: {summary} ({time.perf_counter() - started:.0f} s)")
    return 1 if problems else 0


def claims() -> Iterator[Claim]:
    """Each clause as such, and everything that is said to keep it."""
    yield from (Claim(clause.id) for clause in CLAUSES)
    yield from (Claim(clause, rule=rule.name) for rule in TABLE for clause in rule.upholds)
    for clause in CLAUSES:
        yield from (Claim(clause.id, module=f"src/{name.replace('.', '/')}") for name in clause.kept_by)


if __name__ == "__main__":
    sys.exit(main())
