"""``python -m tools.mutants``: fails when a mutant survives, or when an excuse for one is stale."""

from __future__ import annotations

import sys
import time
import tomllib
from collections.abc import Iterable
from pathlib import Path

from finalturn.core.turn import TABLE
from tools.mutants._mutate import Mutant, mutants_of
from tools.mutants._proofs import Proof, proofs
from tools.mutants._run import Runner

EQUIVALENT = Path(__file__).parent / "equivalent.toml"


def main() -> int:
    """Run every mutant against the proofs of its clauses."""
    started = time.perf_counter()
    found = proofs()
    everything = list(dict.fromkeys(proof for some in found.values() for proof in some))
    if not everything:
        print("MUTANTS no proofs were found: a run that looked at nothing fails.")
        return 1
    runner = Runner(everything)
    if runner.broken:
        print(f"MUTANTS {len(runner.broken)} proofs fail without any mutation; mend them first.")
        return 1
    excuses: dict[str, str] = tomllib.loads(EQUIVALENT.read_text())["equivalent"]
    mutants = list(mutants_of(TABLE))
    survivors = {mutant.name for mutant in mutants if not runner.kills(mutant, _of(mutant, found))}
    problems = [
        f'MUTANTS survivor "{name}": no proof of its clauses fails -> strengthen one, or give a reason in'
        f" {EQUIVALENT.name}"
        for name in sorted(survivors - excuses.keys())
    ]
    problems += [
        f'MUTANTS stale excuse "{name}" in {EQUIVALENT.name}: it is killed, or no mutant -> delete the line'
        for name in sorted(excuses.keys() - survivors)
    ]
    print("\n".join(problems), end="\n" if problems else "")
    seconds = time.perf_counter() - started
    print(
        f"mutants: {len(mutants)} made, {len(mutants) - len(survivors)} killed by a proof of their clauses,"
        f" {len(survivors & excuses.keys())} equivalent, {len(survivors - excuses.keys())} survive"
        f" ({seconds:.0f} s)"
    )
    return 1 if problems else 0


def _of(mutant: Mutant, found: dict[str, list[Proof]]) -> Iterable[Proof]:
    return dict.fromkeys(proof for clause in mutant.clauses for proof in found.get(clause, []))


if __name__ == "__main__":
    sys.exit(main())
