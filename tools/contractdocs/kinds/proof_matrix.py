"""Each clause is proved on each of its surfaces, through every driver, with every kind of provider."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from finalturn.contract import Clause
from tools.contractdocs._evidence import Evidence, Exempt
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

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
    return [(driver, kind) for driver in _DRIVERS.get(surface, ()) for kind in PROVIDERS]


def proved(evidence: Evidence, clause: str, surface: str) -> set[Pair]:
    """Those with which a case has passed that looked at the surface."""
    return {
        (proof.driver, proof.kind)
        for proof in evidence.proofs
        if proof.outcome == "passed" and clause in proof.clauses and surface in proof.read
    }


def _unproved(project: Project) -> Iterator[Place]:
    if project.evidence.broken:
        return
    tried = {clause for proof in project.evidence.proofs for clause in proof.clauses}
    for clause in project.clauses:
        if clause.id not in tried:
            constant = clause.id.upper().replace("-", "_")
            yield at(*project.place_of_clause(clause.id), clause=clause.id, constant=constant)


def _unproved_pairs(project: Project) -> Iterator[Place]:
    evidence = project.evidence
    if evidence.broken:
        return
    for clause in project.clauses:
        # One that failed or was skipped is a finding of its own.
        tried = [proof for proof in evidence.proofs if clause.id in proof.clauses]
        elsewhere = {(proof.driver, proof.kind) for proof in tried if proof.outcome != "passed"}
        for surface in sorted(surface.value for surface in clause.surfaces if tried):
            done = proved(evidence, clause.id, surface) | elsewhere | _exempted(evidence, clause, surface)
            if missing := [pair for pair in required(surface) if pair not in done]:
                place = project.place_of_clause(clause.id)
                yield at(*place, clause=clause.id, surface=surface, missing=listed(missing, surface))


def _exempted(evidence: Evidence, clause: Clause, surface: str) -> set[Pair]:
    return {
        pair
        for one in evidence.exempt
        if (one.clause, one.surface) == (clause.id, surface)
        for pair in _pairs(one)
    }


def _pairs(one: Exempt) -> list[Pair]:
    return [(driver, kind) for driver in one.drivers for kind in one.kinds]


def listed(pairs: Iterable[Pair], surface: str) -> str:
    """Drivers and kinds of provider, in few words."""
    kinds_of: dict[str, list[str]] = {}
    for driver, kind in pairs:
        kinds_of.setdefault(driver, []).append(kind)
    drivers_of: dict[tuple[str, ...], list[str]] = {}
    for driver, kinds in kinds_of.items():
        drivers_of.setdefault(tuple(kinds), []).append(driver)
    parts: list[str] = []
    for kinds_, drivers in drivers_of.items():
        every = tuple(drivers) == _DRIVERS.get(surface)
        who = "every driver" if every else _and(drivers)
        parts.append(f"{who} with {'every kind of provider' if kinds_ == PROVIDERS else _and(kinds_)}")
    return "; ".join(parts)


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _stale(project: Project) -> Iterator[Place]:
    by_id: dict[str, Clause] = {clause.id: clause for clause in project.clauses}
    for one in project.evidence.exempt:
        if said := _staleness(one, by_id.get(one.clause), project.evidence):
            yield at(one.file, one.line, said=f"{one.clause} on {one.surface}: {said}")


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


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT10",
        name="unproved",
        what="{clause} has no test",
        remedy="add @proves({constant}) to a test in tests/contract",
        why="A promise that no test holds is broken by the first change that comes along.",
        find=_unproved,
    ),
    Kind(
        code="FT11",
        name="unproved-combination",
        what="{clause} is not proved on {surface}: {missing}",
        remedy="let a test of it look at that surface; do not narrow its drivers or kinds",
        why=(
            "What holds on one way to drive a turn breaks on another, and with a provider of another kind."
            " A proof counts for a surface only when the test looked at what that surface showed."
        ),
        find=_unproved_pairs,
    ),
    Kind(
        code="FT1B",
        name="stale-exemption",
        what="an exemption is stale: {said}",
        remedy="take it out, or correct it",
        why="An exemption that is no longer needed hides the day on which its combination breaks.",
        find=_stale,
    ),
)
