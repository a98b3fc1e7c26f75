"""Each case of each contract test ran, passed, and looked at something."""

from __future__ import annotations

from collections.abc import Iterator

from tools.contractdocs._evidence import Proof
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

TestKey = tuple[str, int, str]


def _by_test(project: Project) -> dict[TestKey, list[Proof]]:
    found: dict[TestKey, list[Proof]] = {}
    for proof in project.evidence.proofs:
        found.setdefault((proof.file, proof.line, proof.test), []).append(proof)
    return found


def _skipped(project: Project) -> Iterator[Place]:
    for (file, line, test), proofs in _by_test(project).items():
        if skipped := [proof for proof in proofs if proof.outcome == "skipped"]:
            count = f"{len(skipped)} of {len(proofs)}"
            yield at(file, line, test=test, count=count, reason=skipped[0].detail)


def _nothing(project: Project) -> Iterator[Place]:
    surfaces: dict[str, set[str]] = {
        clause.id: {one.value for one in clause.surfaces} for clause in project.clauses
    }
    for (file, line, test), proofs in _by_test(project).items():
        passed = [proof for proof in proofs if proof.outcome == "passed"]
        for clause in passed[0].clauses if passed else ():
            wanted = surfaces.get(clause, set[str]())
            if wanted and not any(wanted & proof.read for proof in passed):
                yield at(file, line, test=test, clause=clause, wanted=", ".join(sorted(wanted)))


def _without_clause(project: Project) -> Iterator[Place]:
    for file, line, test in project.evidence.unclaimed:
        yield at(file, line, test=test)


def _failed(project: Project) -> Iterator[Place]:
    for (file, line, test), proofs in _by_test(project).items():
        if failed := [proof for proof in proofs if proof.outcome == "failed"]:
            first = failed[0]
            how = f" through {first.driver} with {first.kind}" if first.driver else ""
            yield at(
                file, line, test=test, count=f"{len(failed)} of {len(proofs)}", how=how, detail=first.detail
            )


def _broken(project: Project) -> Iterator[Place]:
    for one in project.evidence.broken:
        yield at(one.file, one.line, what=one.what)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT12",
        name="skipped-is-not-proof",
        what="{count} cases of {test} were skipped ({reason})",
        remedy="let them run, or declare in tests/contract/_exemptions.py what makes no sense",
        why="A run in which a proof was skipped looks like one in which it passed.",
        find=_skipped,
    ),
    Kind(
        code="FT13",
        name="proof-of-nothing",
        what="{test} carries {clause}, and never looked at what that is seen on ({wanted})",
        remedy="assert on what the surface showed, or take the clause off",
        why="A test that plays a turn and looks at nothing passes whatever the turn does.",
        find=_nothing,
    ),
    Kind(
        code="FT14",
        name="test-without-clause",
        what="{test} proves no clause",
        remedy="name its clause with @proves, or move it out of tests/contract",
        why="What a test in tests/contract holds is taken for a promise, and stands on no page.",
        find=_without_clause,
    ),
    Kind(
        code="FT1A",
        name="proof-fails",
        what="{test} failed in {count} cases, first{how}: {detail}",
        remedy="mend the code; a promise is not changed to fit it",
        why="The contract does not hold.",
        find=_failed,
    ),
    Kind(
        code="FT1C",
        name="proof-not-run",
        what="{what}",
        remedy="mend it: what could not be run proves nothing",
        why="Tests that cannot be imported, or that end the run, fail nowhere else.",
        find=_broken,
    ),
)
