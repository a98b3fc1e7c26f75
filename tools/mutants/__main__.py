"""``python -m tools.mutants``: fails when a mutant survives, or when an excuse for one is stale."""

from __future__ import annotations

import sys
import time

from tools.mutants._code import ROOT
from tools.mutants._run import all_cases, all_mutants, workers
from tools.mutants._verdict import EXCUSES, claims, outcome


def main() -> int:
    """Run every mutant against the proofs of its clauses."""
    started = time.perf_counter()
    excuses = (ROOT / EXCUSES).read_text(encoding="utf-8")
    problems, summary = outcome(all_mutants(), all_cases(), list(claims()), excuses, workers())
    for line in problems:
        print(line)
    print(f"mutants: {summary} ({time.perf_counter() - started:.0f} s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
