"""Each clause is proved on each of its surfaces, by cases that ran and looked; and each example runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tests.contract._exemptions import Exemption
from tools.contractdocs.evidence.model import DRIVERS, PROVIDERS, Proof
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.markdown import read
from tools.contractdocs.modules import SRC
from tools.contractdocs.project import Project

EXEMPTIONS = "tests/contract/_exemptions.py"
Pair = tuple[str, str]


def required(surface: str) -> list[Pair]:
    """The drivers and kinds of provider that a clause has to be proved with on a surface."""
    return [(driver, provider) for driver in DRIVERS.get(surface, ()) for provider in PROVIDERS]


def _proved(proofs: tuple[Proof, ...]) -> dict[tuple[str, str], set[Pair]]:
    """By clause and surface, the combinations with which a case has passed that looked at the surface."""
    found: dict[tuple[str, str], set[Pair]] = {}
    for proof in proofs:
        for clause in proof.clauses if proof.outcome == "passed" else ():
            for surface in proof.read:
                found.setdefault((clause, surface), set()).add((proof.driver, proof.kind))
    return found


@kind("FT10", "unproved")
def _unproved(project: Project) -> Iterator[Finding]:
    tried = {clause for proof in project.evidence.proofs for clause in proof.clauses}
    for clause in project.clauses if not project.evidence.broken else ():
        if clause.id not in tried:
            remedy = f"add @proves({clause.id.upper().replace('-', '_')}) to a test in tests/contract"
            yield project.at_clause(clause.id, f"{clause.id} has no test", remedy)


@kind("FT11", "unproved-combination")
def _unproved_pairs(project: Project) -> Iterator[Finding]:
    evidence = project.evidence
    proved = _proved(evidence.proofs)
    tried: dict[str, set[Pair]] = {}
    for proof in evidence.proofs:
        # One that failed or was skipped is a finding of its own.
        for clause_id in proof.clauses:
            tried.setdefault(clause_id, set()).update(
                [(proof.driver, proof.kind)] if proof.outcome != "passed" else ()
            )
    for clause in project.clauses if not evidence.broken else ():
        for surface in sorted(surface.value for surface in clause.surfaces if clause.id in tried):
            done = tried[clause.id] | proved.get((clause.id, surface), set())
            exempt = (one for one in evidence.exempt if (one.clause.id, one.surface) == (clause.id, surface))
            done |= {pair for one in exempt for pair in _pairs(one)}
            if missing := [pair for pair in required(surface) if pair not in done]:
                what = f"{clause.id} is not proved on {surface}: {_listed(missing)}"
                remedy = "let a test of it look at that surface; do not narrow its drivers or kinds"
                yield project.at_clause(clause.id, what, remedy)


def _pairs(one: Exemption) -> list[Pair]:
    return [(driver, provider) for driver in one.drivers for provider in one.kinds]


def _listed(pairs: Iterable[Pair]) -> str:
    """Drivers, each with the kinds of provider that it stands with."""
    kinds_of: dict[str, list[str]] = {}
    for driver, provider in pairs:
        kinds_of.setdefault(driver, []).append(provider)
    return "; ".join(f"{driver} with {', '.join(kinds)}" for driver, kinds in kinds_of.items())


@kind("FT1B", "stale-exemption")
def _stale(project: Project) -> Iterator[Finding]:
    proved = _proved(project.evidence.proofs)
    lines = enumerate(project.files.get(EXEMPTIONS, "").split("\n"), 1)
    lines_of_calls = (number for number, line in lines if line.strip() == "Exemption(")
    for line, one in zip(lines_of_calls, project.evidence.exempt, strict=False):
        pairs, needed = set(_pairs(one)), set(required(one.surface))
        if wrong := (pairs & proved.get((one.clause.id, one.surface), set())) | (pairs - needed):
            driver, provider = min(wrong)
            how = "is proved" if (driver, provider) in needed else "is not required"
            what = f"an exemption is stale: {one.clause.id} on {one.surface}: {driver} with {provider} {how}"
            yield Finding(EXEMPTIONS, line, what, "take it out, or correct it")


@kind("FT1A", "proof-fails")
def _failed(project: Project) -> Iterator[Finding]:
    """Cases that did not pass: one that was skipped is no proof."""
    found: dict[tuple[str, int, str], list[Proof]] = {}
    for proof in project.evidence.proofs:
        found.setdefault((proof.file, proof.line, proof.test), []).append(proof)
    for (file, line, test), proofs in found.items():
        for outcome, was in (("failed", "failed"), ("skipped", "was skipped")):
            if bad := [proof for proof in proofs if proof.outcome == outcome]:
                how = f", first through {bad[0].driver} with {bad[0].kind}" if bad[0].driver else ""
                what = f"{test} {was} in {len(bad)} of {len(proofs)} cases{how}: {bad[0].detail}"
                remedy = "mend the code, or the test if it is wrong; a promise is not changed to fit"
                yield Finding(file, line, what, remedy)


@kind("FT1C", "proof-not-run")
def _broken(project: Project) -> Iterator[Finding]:
    for one in project.evidence.broken:
        yield Finding(one.file, one.line, one.what, "mend it: what could not be run proves nothing")


@kind("FT18", "example-broken")
def _example_broken(project: Project) -> Iterator[Finding]:
    for one in project.evidence.examples:
        if one.outcome == "failed":
            remedy = "find out which of the two is right, and change the other"
            yield Finding(one.file, one.line, f"the example {one.detail}", remedy)


@kind("FT19", "example-not-run")
def _example_not_run(project: Project) -> Iterator[Finding]:
    examples = project.evidence.examples
    for one in examples:
        if one.outcome == "skipped" and not one.detail:
            remedy = 'let it run, or write test="skip: why it cannot" behind the language'
            yield Finding(one.file, one.line, "the example is not run, and does not say why", remedy)
    run = {(one.file, one.line) for one in examples}
    for file, text in project.files.items() if run else ():
        if file in ("README.md", "AGENT.md") or re.fullmatch(r"docs/.*\.md", file):
            for fence in read(text).fences:
                imports = re.search(r"^ *(?:from|import) finalturn\b", fence.text, re.MULTILINE)
                if (fence.language.startswith("py") or imports) and (file, fence.line) not in run:
                    what = "the example is Python in a fence that nothing runs"
                    yield Finding(file, fence.line, what, "begin it with ```python")


@kind("FT60", "looked-at-nothing")
def _nothing(project: Project) -> Iterator[Finding]:
    looked = {
        "clauses": (project.clauses, f"{SRC}contract.py"),
        "rules of the turn's table": (project.table, f"{SRC}_core/turn/table.py"),
        "public names": (project.api.symbols, f"{SRC}__init__.py"),
        "proofs": (project.evidence.proofs, "tools/contractdocs/evidence/gather.py"),
        "examples": (project.evidence.examples, "tools/contractdocs/evidence/gather.py"),
    }
    for what, (things, file) in looked.items():
        if not things:
            yield Finding(file, 1, f"there are no {what}", "find out why; a check that saw nothing fails")
