"""What the kills say: which mutants survive, and which clauses have proofs that catch nothing; in words."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from re import escape, fullmatch

from finalturn._core.turn import TABLE
from finalturn.contract import CLAUSES
from tools.contractdocs.evidence.cases import Case
from tools.mutants._code import Mutant
from tools.mutants._run import TABLE_PLAYS, Recorded, Task, Workers, play_of
from tools.mutants._table import place_of

EXCUSES = "tools/mutants/equivalent.toml"
NO_MUTANT = "no mutant breaks it; tools/mutants/handwritten is the place for one"


@dataclass(frozen=True)
class Claim:
    """Something that its clause's own proofs must catch a mutant of.

    Attributes:
        clause: the id.
        rule: a rule of the table that upholds it; "" where none is meant.
        module: a module that keeps it, as a path without suffix; "" where none is meant.
    """

    clause: str
    rule: str = ""
    module: str = ""

    def concerns(self, mutant: Mutant) -> bool:
        """Whether the mutant breaks what is claimed."""
        if self.clause not in mutant.clauses or (self.rule and self.rule != mutant.rule):
            return False
        return not self.module or mutant.file.startswith((f"{self.module}.", f"{self.module}/"))


def claims() -> Iterator[Claim]:
    """Each clause as such, and everything that is said to keep it."""
    yield from (Claim(clause.id) for clause in CLAUSES)
    yield from (Claim(clause, rule=rule.name) for rule in TABLE for clause in rule.upholds)
    for clause in CLAUSES:
        yield from (Claim(clause.id, module=f"src/{name.replace('.', '/')}") for name in clause.kept_by)


def outcome(
    mutants: Sequence[Mutant],
    cases: Sequence[Case],
    claimed: Sequence[Claim],
    excuses: str,
    workers: AbstractContextManager[Workers],
) -> tuple[list[str], str]:
    """The problems, one on each line, and one line that sums up.

    Args:
        mutants: all of them.
        cases: the contract's tests.
        claimed: what proofs must catch mutants of.
        excuses: the text of the file with excuses.
        workers: what runs cases.
    """
    if not mutants or not cases:
        nothing = f"MUTANTS looked at nothing: there are {len(mutants)} mutants and {len(cases)} proofs"
        return [f"{nothing} -> find out where they are gone"], "none was run"
    with workers as pool:
        recorded = pool.record(len(cases))
        if failing := list(failing_proofs(cases, recorded)):
            return failing, f"none was run: {len(failing)} proofs fail without any"
        survivors, unfounded = judge(mutants, cases, recorded, pool, claimed)
    reasons = read_excuses(excuses)
    surviving = [mutant for mutant in survivors if excuse_of(mutant.name, reasons) is None]
    problems = [
        *map(survivor, surviving),
        *stale_excuses(survivors, excuses),
        *(toothless(claim, broken) for claim, broken in unfounded),
    ]
    return problems, (
        f"{len(mutants)} made, {len(mutants) - len(survivors)} killed by a proof of their clauses,"
        f" {len(survivors) - len(surviving)} excused, {len(surviving)} survive"
    )


def judge(
    mutants: Sequence[Mutant],
    cases: Sequence[Case],
    recorded: Sequence[Recorded],
    pool: Workers,
    claimed: Iterable[Claim],
) -> tuple[list[Mutant], list[tuple[Claim, int]]]:
    """Run every mutant, and again those of claims of which nothing was caught yet.

    Of the proofs that may fail the quick ones go first, and last those that wait for a thread of their own:
    it cannot be stopped when it never ends.

    Returns:
        The mutants on which no proof of their clauses fails; and the claims that nothing stands behind, each
        with the number of mutants that break it.
    """
    order = sorted(
        range(len(cases)),
        key=lambda place: (cases[place].driver in ("run", "stream"), recorded[place].seconds),
    )

    def task(index: int, clauses: Sequence[str]) -> Task:
        mutant = mutants[index]
        return index, [
            (place, recorded[place].seconds)
            for place in order
            if not set(clauses).isdisjoint(cases[place].clauses)
            # What is the same under every driver and kind of provider is not run under each.
            and (not mutant.pure or not cases[place].driver or play_of(cases[place]) in TABLE_PLAYS)
            and mutant.concerns(recorded[place].reached)
        ]

    survivors: list[Mutant] = []
    caught: dict[str, list[Mutant]] = {}
    killers = pool.kill([task(index, mutant.clauses) for index, mutant in enumerate(mutants)])
    for mutant, killer in zip(mutants, killers, strict=True):
        if killer is None:
            survivors.append(mutant)
            continue
        for clause in cases[killer].clauses:
            caught.setdefault(clause, []).append(mutant)
    waiting = [claim for claim in claimed if not any(map(claim.concerns, caught.get(claim.clause, ())))]
    broken = {
        claim: [index for index, mutant in enumerate(mutants) if claim.concerns(mutant)] for claim in waiting
    }
    # In each round one mutant of each claim: one that is caught is enough.
    for number in range(max(map(len, broken.values()), default=0)):
        waiting = [claim for claim in waiting if number < len(broken[claim])]
        killers = pool.kill([task(broken[claim][number], (claim.clause,)) for claim in waiting])
        for claim, killer in zip(waiting, killers, strict=True):
            if killer is not None:
                del broken[claim]
        waiting = [claim for claim in waiting if claim in broken]
    return survivors, [(claim, len(indices)) for claim, indices in broken.items()]


def read_excuses(text: str) -> Mapping[str, str]:
    """Reasons by the name of a mutant. In a name, ``*`` stands for anything.

    Raises:
        ValueError: a reason is missing.
    """
    reasons: dict[str, str] = {}
    for group in tomllib.loads(text).values():
        for name, reason in group.items():
            if not isinstance(reason, str) or not reason.strip():
                where = f"{EXCUSES}:{_line_of(name, text)}"
                raise ValueError(f'{where} MUTANTS "{name}" has no reason -> give one')
            reasons[name] = reason
    return reasons


def excuse_of(name: str, excuses: Iterable[str]) -> str | None:
    """The excuse that a mutant has."""
    fits = (excuse for excuse in excuses if fullmatch(".*".join(map(escape, excuse.split("*"))), name))
    return next(fits, None)


def failing_proofs(cases: Sequence[Case], recorded: Sequence[Recorded]) -> Iterator[str]:
    """Proofs that fail without any mutation: a line for each test."""
    failures: dict[str, list[str]] = {}
    for case, run in zip(cases, recorded, strict=True):
        if run.failure is not None:
            what = f'{case.file}:{case.line} MUTANTS failing proof "{case.test.__name__}"'
            failures.setdefault(what, []).append(run.failure)
    for what, of_cases in failures.items():
        who = f"{len(of_cases)} of its cases" if len(of_cases) > 1 else "it"
        yield f"{what}: without any mutation {who} ended with {of_cases[0]} -> mend it first"


def survivor(mutant: Mutant) -> str:
    """A mutant that no proof of its clauses catches, and that has no excuse."""
    return (
        f'{mutant.file}:{mutant.line} MUTANTS survivor "{mutant.name}": no proof of'
        f" {', '.join(mutant.clauses)} fails -> strengthen one, or give a reason in {EXCUSES}"
    )


def stale_excuses(survivors: Sequence[Mutant], text: str) -> Iterator[str]:
    """Excuses that no survivor needs."""
    excuses = read_excuses(text)
    needed = {excuse_of(mutant.name, excuses) for mutant in survivors}
    for excuse in excuses:
        if excuse not in needed:
            where = f"{EXCUSES}:{_line_of(excuse, text)}"
            yield f'{where} MUTANTS stale excuse "{excuse}": it is killed, or no mutant -> delete the line'


def toothless(claim: Claim, mutants: int) -> str:
    """A clause, or what is said to keep it, whose proofs catch nothing."""
    file, line = place_of(claim.rule or claim.clause)
    catches = f"its proofs fail on none of the {mutants} mutants that break it" if mutants else NO_MUTANT
    what, do = f'"{claim.clause}"', "assert what the clause says"
    if claim.rule:
        what = f'"{claim.rule}" upholds {what}'
        do = "prove it on the rule's path, or take the clause off the rule"
    elif claim.module:
        what, do = f"{what} is kept by {claim.module}", "prove it there, or name in kept_by what keeps it"
    return f"{file}:{line} MUTANTS toothless {what}: {catches} -> {do}"


def _line_of(excuse: str, text: str) -> int:
    key = json.dumps(excuse, ensure_ascii=False)
    lines = text.splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.startswith(key)), 1)
