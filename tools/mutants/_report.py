"""What a person is told: one line for each problem, with the place that it is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tools.contractdocs.evidence.cases import Case
from tools.contractdocs.evidence.model import Broken
from tools.mutants._excuses import FILE, excuse_of, line_of
from tools.mutants._mutant import Mutant
from tools.mutants._run import Recorded
from tools.mutants._saboteur import Unfitting
from tools.mutants._verdict import Claim

SABOTEURS = "tools/mutants/saboteurs"

Places = Mapping[str, tuple[str, int]]


def failing(cases: Sequence[Case], recorded: Sequence[Recorded]) -> Iterator[str]:
    """Proofs that fail without any mutation: a line for each test."""
    found: dict[str, list[str]] = {}
    for case, one in zip(cases, recorded, strict=True):
        if one.failure is not None:
            found.setdefault(
                f'{case.file}:{case.line} MUTANTS failing proof "{case.test.__name__}"', []
            ).append(one.failure)
    for what, failures in found.items():
        cases_failed = f"{len(failures)} of its cases" if len(failures) > 1 else "it"
        yield f"{what}: without any mutation {cases_failed} ended with {failures[0]} -> mend it first"


def broken(found: Sequence[Broken]) -> Iterator[str]:
    """Proofs that cannot be read."""
    for one in found:
        yield f"{one.file}:{one.line} MUTANTS broken proof: {one.what} -> mend it first"


def unfitting(saboteurs: Sequence[Unfitting]) -> Iterator[str]:
    """Saboteurs that cannot act."""
    for one in saboteurs:
        old = " ".join(one.old.split())
        yield (
            f'{one.file}:{one.line} MUTANTS unfitting "{one.name}": its saboteur replaces `{old}`, and there'
            " is none -> let it do the same wrong to the code as it is now"
        )


def survivors(mutants: Sequence[Mutant], excuses: Mapping[str, str]) -> Iterator[str]:
    """Mutants that no proof of their clauses catches, and that have no excuse."""
    for mutant in mutants:
        if excuse_of(mutant.name, excuses) is None:
            yield (
                f'{mutant.file}:{mutant.line} MUTANTS survivor "{mutant.name}": no proof of'
                f" {', '.join(mutant.clauses)} fails -> strengthen one, or give a reason in {FILE}"
            )


def stale(mutants: Sequence[Mutant], excuses: Mapping[str, str], text: str) -> Iterator[str]:
    """Excuses that no survivor needs."""
    needed = {excuse_of(mutant.name, excuses) for mutant in mutants}
    for excuse in excuses:
        if excuse not in needed:
            yield (
                f'{FILE}:{line_of(excuse, text)} MUTANTS stale excuse "{excuse}": it is killed, or no mutant'
                " -> delete the line"
            )


def toothless(found: Sequence[tuple[Claim, int]], rules: Places, clauses: Places) -> Iterator[str]:
    """Clauses, and what is said to keep them, whose proofs catch nothing."""
    for claim, mutants in found:
        caught = f"the proofs of the clause fail on none of the {mutants} mutants that break it there"
        if claim.rule:
            (file, line), what = rules[claim.rule], f'"{claim.rule}" upholds "{claim.clause}"'
            do = "prove it on the rule's path, or take the clause off the rule"
        elif claim.module:
            (file, line), what = clauses[claim.clause], f'"{claim.clause}" is kept by {claim.module}'
            do = "prove it there, or name the module that keeps it in kept_by"
            caught = caught if mutants else "no mutant breaks it there"
            do = (
                do
                if mutants
                else f"add a saboteur in {SABOTEURS}, or name the module that keeps it in kept_by"
            )
        else:
            (file, line), what = clauses[claim.clause], f'"{claim.clause}"'
            caught = f"its proofs fail on none of the {mutants} mutants that break it"
            do = "assert what the clause says"
            caught = caught if mutants else "no mutant breaks it"
            do = do if mutants else f"let a rule uphold it, or add a saboteur in {SABOTEURS}"
        yield f"{file}:{line} MUTANTS toothless {what}: {caught} -> {do}"
