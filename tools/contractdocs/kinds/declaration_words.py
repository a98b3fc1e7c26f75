"""A clause makes one promise, in words that can be tested, and says since when."""

from __future__ import annotations

import re
from collections.abc import Iterator

from finalturn.contract import Clause
from finalturn.stability import NEXT
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

_VERBS = re.compile(r"\bMUST NOT\b|\bMUST\b|\bMAY\b")
_OTHER = re.compile(r"\b(?:SHALL|SHOULD|REQUIRED|RECOMMENDED|OPTIONAL)\b")
_VERSION = re.compile(r"(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)")


def _vague(project: Project) -> Iterator[Place]:
    for clause in project.clauses:
        for said, do in _weaknesses(clause):
            yield at(*project.place_of_clause(clause.id), clause=clause.id, said=said, do=do)


def _weaknesses(clause: Clause) -> Iterator[tuple[str, str]]:
    verbs = _VERBS.findall(clause.statement)
    if len(verbs) != 1:
        found = f"{len(verbs)} ({', '.join(verbs)})" if verbs else "none"
        do = "split it into as many clauses" if verbs else "say what it promises"
        yield f"must hold exactly one of MUST, MUST NOT and MAY; found {found}", do
    if other := _OTHER.search(clause.statement):
        yield f"says {other[0]}, which is no word of this contract", "say MUST, MUST NOT or MAY"
    if not clause.statement.strip().endswith("."):
        yield "does not end its statement with a full stop", "make it a sentence"
    if not clause.why.strip().endswith("."):
        yield "does not say why in a sentence", "say what goes wrong for someone without it"
    if not clause.surfaces:
        yield "can be seen on no surface", "name where it can be observed"


def _versions(project: Project) -> Iterator[Place]:
    for clause in project.clauses:
        deprecation = clause.deprecation
        given = [("since", clause.since, True), ("revised", clause.revised, True)]
        if deprecation is not None:
            given += [
                ("deprecation.since", deprecation.since, True),
                ("deprecation.removal", deprecation.removal, False),
            ]
        for field, version, may_be_next in given:
            if version is None or _VERSION.fullmatch(version) or (may_be_next and version == NEXT):
                continue
            allowed = "NEXT or a version such as 1.2.0" if may_be_next else "a version such as 2.0.0"
            place = project.place_of_clause(clause.id)
            yield at(*place, clause=clause.id, field=field, version=version, allowed=allowed)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT02",
        name="vague-statement",
        what="{clause} {said}",
        remedy="{do}",
        why=(
            "Two promises in one sentence are proved by a test of either, and a sentence without MUST, MUST"
            " NOT or MAY promises nothing that a test could hold it to."
        ),
        find=_vague,
    ),
    Kind(
        code="FT08",
        name="bad-since",
        what='{clause} says {field}="{version}"; it must be {allowed}',
        remedy="write NEXT for what comes with the next release, else the version",
        why="A version that cannot be compared with others is skipped by everything that compares.",
        find=_versions,
    ),
)
