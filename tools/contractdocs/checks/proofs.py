"""Each clause is proved on each of its surfaces, by cases that ran and looked; and each example runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from finalturn.contract import Clause
from tools.contractdocs.evidence.model import Evidence, Exempt, Proof
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.markdown import read
from tools.contractdocs.project import Project

# Written out here, and not taken from the tests: there, dropping one would drop its proofs unseen.
CHUNK_DRIVERS = ("stream", "astream-asyncio", "astream-trio")
TOKEN_DRIVERS = ("run", "arun-asyncio", "arun-trio")
HTTP_DRIVERS = ("http-stream", "http-chat", "ag-ui", "ai-sdk")
ALL_DRIVERS = (*CHUNK_DRIVERS, *TOKEN_DRIVERS)
PROVIDERS = ("streaming", "whole-reply", "sync-whole-reply", "sync-stream", "http")

_DRIVERS = {
    "chunks": CHUNK_DRIVERS,
    "tokens": TOKEN_DRIVERS,
    "result": ALL_DRIVERS,
    # A turn that is asked for over HTTP is saved, and asks a provider, as any other.
    "history": (*ALL_DRIVERS, *HTTP_DRIVERS),
    "request": (*ALL_DRIVERS, *HTTP_DRIVERS),
    "http": HTTP_DRIVERS,
}

Pair = tuple[str, str]


def required(surface: str) -> list[Pair]:
    """The drivers and kinds of provider that a clause has to be proved with on a surface."""
    return [(driver, provider) for driver in _DRIVERS.get(surface, ()) for provider in PROVIDERS]


def proved(evidence: Evidence, clause: str, surface: str) -> set[Pair]:
    """Those with which a case has passed that looked at the surface."""
    return {
        (proof.driver, proof.kind)
        for proof in evidence.proofs
        if proof.outcome == "passed" and clause in proof.clauses and surface in proof.read
    }


@kind("FT10", "unproved")
def _unproved(project: Project) -> Iterator[Finding]:
    if project.evidence.broken:
        return
    tried = {clause for proof in project.evidence.proofs for clause in proof.clauses}
    for clause in project.clauses:
        if clause.id not in tried:
            constant = clause.id.upper().replace("-", "_")
            remedy = f"add @proves({constant}) to a test in tests/contract"
            yield project.at_clause(clause.id, f"{clause.id} has no test", remedy)


@kind("FT11", "unproved-combination")
def _unproved_pairs(project: Project) -> Iterator[Finding]:
    evidence = project.evidence
    if evidence.broken:
        return
    for clause in project.clauses:
        # One that failed or was skipped is a finding of its own.
        tried = [proof for proof in evidence.proofs if clause.id in proof.clauses]
        elsewhere = {(proof.driver, proof.kind) for proof in tried if proof.outcome != "passed"}
        for surface in sorted(surface.value for surface in clause.surfaces if tried):
            exempt = {
                pair
                for one in evidence.exempt
                if (one.clause, one.surface) == (clause.id, surface)
                for pair in _pairs(one)
            }
            done = proved(evidence, clause.id, surface) | elsewhere | exempt
            if missing := [pair for pair in required(surface) if pair not in done]:
                what = f"{clause.id} is not proved on {surface}: {listed(missing, surface)}"
                remedy = "let a test of it look at that surface; do not narrow its drivers or kinds"
                yield project.at_clause(clause.id, what, remedy)


def _pairs(one: Exempt) -> list[Pair]:
    return [(driver, provider) for driver in one.drivers for provider in one.kinds]


def listed(pairs: Iterable[Pair], surface: str) -> str:
    """Drivers and kinds of provider, in few words."""
    providers_of: dict[str, list[str]] = {}
    for driver, provider in pairs:
        providers_of.setdefault(driver, []).append(provider)
    drivers_of: dict[tuple[str, ...], list[str]] = {}
    for driver, providers in providers_of.items():
        drivers_of.setdefault(tuple(providers), []).append(driver)
    parts: list[str] = []
    for key, drivers in drivers_of.items():
        who = "every driver" if tuple(drivers) == _DRIVERS.get(surface) else _and(drivers)
        parts.append(f"{who} with {'every kind of provider' if key == PROVIDERS else _and(key)}")
    return "; ".join(parts)


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


@kind("FT1B", "stale-exemption")
def _stale(project: Project) -> Iterator[Finding]:
    by_id: dict[str, Clause] = {clause.id: clause for clause in project.clauses}
    for one in project.evidence.exempt:
        if said := _staleness(one, by_id.get(one.clause), project.evidence):
            what = f"an exemption is stale: {one.clause} on {one.surface}: {said}"
            yield Finding(one.file, one.line, what, "take it out, or correct it")


def _staleness(one: Exempt, clause: Clause | None, evidence: Evidence) -> str:
    if clause is None:
        return "there is no such clause"
    if one.surface not in {surface.value for surface in clause.surfaces}:
        return "the clause does not claim this surface"
    pairs = _pairs(one)
    if unknown := [pair for pair in pairs if pair not in required(one.surface)]:
        return f"nothing is required of {unknown[0][0]} with {unknown[0][1]}"
    if not one.reason.strip().endswith("."):
        return "it does not say why in a sentence"
    if done := [pair for pair in pairs if pair in proved(evidence, one.clause, one.surface)]:
        return f"it is proved on {listed(done, one.surface)}"
    return "" if pairs else "it names no combination"


def _by_test(project: Project, outcome: str) -> Iterator[tuple[str, int, str, list[Proof], str]]:
    """Each test with cases of an outcome: file, line, name, these cases, and how many of all they are."""
    found: dict[tuple[str, int, str], list[Proof]] = {}
    for proof in project.evidence.proofs:
        found.setdefault((proof.file, proof.line, proof.test), []).append(proof)
    for key, proofs in found.items():
        if those := [proof for proof in proofs if proof.outcome == outcome]:
            yield *key, those, f"{len(those)} of {len(proofs)}"


@kind("FT12", "skipped-is-not-proof")
def _skipped(project: Project) -> Iterator[Finding]:
    for file, line, test, skipped, count in _by_test(project, "skipped"):
        what = f"{count} cases of {test} were skipped ({skipped[0].detail})"
        remedy = "let them run, or declare in tests/contract/_exemptions.py what makes no sense"
        yield Finding(file, line, what, remedy)


@kind("FT13", "proof-of-nothing")
def _nothing(project: Project) -> Iterator[Finding]:
    surfaces: dict[str, set[str]] = {
        clause.id: {one.value for one in clause.surfaces} for clause in project.clauses
    }
    for file, line, test, passed, _ in _by_test(project, "passed"):
        for clause in passed[0].clauses:
            wanted = surfaces.get(clause, set[str]())
            if wanted and not any(wanted & proof.read for proof in passed):
                on = ", ".join(sorted(wanted))
                what = f"{test} carries {clause}, and never looked at what that is seen on ({on})"
                yield Finding(file, line, what, "assert on what the surface showed, or take the clause off")


@kind("FT14", "test-without-clause")
def _without_clause(project: Project) -> Iterator[Finding]:
    for file, line, test in project.evidence.unclaimed:
        remedy = "name its clause with @proves, or move it out of tests/contract"
        yield Finding(file, line, f"{test} proves no clause", remedy)


@kind("FT1A", "proof-fails")
def _failed(project: Project) -> Iterator[Finding]:
    for file, line, test, failed, count in _by_test(project, "failed"):
        first = failed[0]
        how = f" through {first.driver} with {first.kind}" if first.driver else ""
        what = f"{test} failed in {count} cases, first{how}: {first.detail}"
        yield Finding(
            file, line, what, "mend the code, or the test if it is wrong; a promise is not changed to fit"
        )


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
    for file, text in project.files.items():
        if not run or not (file in ("README.md", "AGENT.md") or re.fullmatch(r"docs/.*\.md", file)):
            continue
        for fence in read(text).fences:
            imports = re.search(r"^ *(?:from|import) finalturn\b", fence.text, re.MULTILINE)
            if (fence.language.startswith("py") or imports) and (file, fence.line) not in run:
                language = fence.language or "nameless"
                what = f"the example is Python in a {language} fence, which nothing runs"
                yield Finding(file, fence.line, what, "begin it with ```python")
