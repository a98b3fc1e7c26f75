"""Kinds of drift between the contract and what was released of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from finalturn.contract import Clause
from finalturn.stability import NEXT
from tools.contractdocs._baseline import Baseline, parsed
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs._review import short

_VERB = re.compile(r"\bMUST NOT\b|\bMUST\b|\bMAY\b")
NONE = Baseline("", {})
REVISE = "set revised=NEXT, read its tests again, and name it in the changelog; or undo"


def _weakened(project: Project) -> Iterator[Place]:
    baseline = project.baseline or NONE
    here: dict[str, Clause] = {clause.id: clause for clause in project.clauses}
    for name, old in baseline.clauses.items():
        clause = here.get(name)
        if clause is None:
            if old.stability == "stable" and not old.removal:
                yield _of(baseline.file, 1, name, old.since, "is gone, and was not deprecated")
            continue
        if old.stability != "stable":
            continue
        file, line = project.place_of_clause(name)
        if gone := sorted(set(old.surfaces) - set(clause.surfaces)):
            yield _of(file, line, name, old.since, f"lost {_plural('surface', gone)}")
        was, now = _VERB.findall(old.statement), _VERB.findall(clause.statement)
        if was != now:
            yield _of(file, line, name, old.since, f"said {' and '.join(was)}, and says {' and '.join(now)}")


def _of(file: str, line: int, name: str, since: str, said: str) -> Place:
    return at(file, line, clause=name, since=since, said=said)


def _plural(word: str, names: list[str]) -> str:
    return f"{word}{'s' if len(names) > 1 else ''} {', '.join(names)}"


def _reworded(project: Project) -> Iterator[Place]:
    baseline = project.baseline or NONE
    for clause in project.clauses:
        old = baseline.clauses.get(clause.id)
        if old is None:
            if clause.revised is not None:
                said = f'{clause.id} is new, and is revised="{clause.revised}"'
                yield _said(project, clause, said, "take revised out")
            continue
        changed = " ".join(old.statement.split()) != " ".join(clause.statement.split())
        if changed and clause.revised != NEXT:
            was, now = short(old.statement, clause.statement), short(clause.statement, old.statement)
            said = f'{clause.id} said in {baseline.version}: "{was}"; it says: "{now}"'
            yield _said(project, clause, said, REVISE)
        elif not changed and (clause.revised or "") != old.revised:
            before, after = old.revised or None, clause.revised
            said = f"{clause.id} says what it said in {baseline.version}; revised was {before}, is {after}"
            yield _said(project, clause, said, "undo")


def _said(project: Project, clause: Clause, said: str, do: str) -> Place:
    return at(*project.place_of_clause(clause.id), said=said, do=do)


def _retired(project: Project) -> Iterator[Place]:
    baseline = project.baseline or NONE
    for clause in project.clauses:
        if clause.id in baseline.retired:
            yield at(*project.place_of_clause(clause.id), clause=clause.id, gone=baseline.retired[clause.id])


def _overdue(project: Project) -> Iterator[Place]:
    baseline = project.baseline or NONE
    now = baseline.version or "0.0.0"
    for clause in project.clauses:
        old = baseline.clauses.get(clause.id)
        deprecation = clause.deprecation
        if deprecation is None:
            if old and old.removal:
                said = f"{clause.id} was deprecated in {now}, and no longer is"
                yield _said(
                    project,
                    clause,
                    said,
                    "restore the deprecation; a promise that was taken back comes under a new id",
                )
            continue
        try:
            due = parsed(deprecation.removal)
        except ValueError as error:
            yield _said(
                project, clause, f"{clause.id}: {error}", "write the version that will no longer have it"
            )
            continue
        newly = old is None or not old.removal
        if due <= parsed(now):
            said = f"{clause.id} is deprecated, and was to be gone in {deprecation.removal}; this is {now}"
            yield _said(project, clause, said, "remove it, or name a later version")
        elif newly and deprecation.since != NEXT:
            said = f"{clause.id} is newly deprecated, and says since {deprecation.since}"
            yield _said(project, clause, said, "since=NEXT")
        elif clause.stability == "stable" and newly and due[1:] != (0, 0):
            said = f"{clause.id} is stable, and is to go in {deprecation.removal}, which is no major version"
            yield _said(project, clause, said, "name a major version")


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT52",
        name="weakened",
        what="{clause}, stable since {since}, {said}",
        remedy="restore it; or deprecate the clause first, and promise the weaker one under a new id",
        why=(
            "A stable clause is kept until a major version. Whoever relies on it is told first, by a"
            " deprecation, and has the time of a release to act."
        ),
        find=_weakened,
    ),
    Kind(
        code="FT53",
        name="reworded",
        what="{said}",
        remedy="{do}",
        why=(
            "What a clause says may be put more clearly, but nobody can tell a clearer wording from another"
            " promise by looking at a diff of pages. `revised` and the changelog say that it was meant."
        ),
        find=_reworded,
    ),
    Kind(
        code="FT55",
        name="overdue",
        what="{said}",
        remedy="{do}",
        why="A deprecation is a date that users plan with.",
        find=_overdue,
    ),
    Kind(
        code="FT5B",
        name="reused-id",
        what="{clause} was released once, and was gone in {gone}",
        remedy="take another id; ids are not used again",
        why="An id in an old issue, a log or somebody's test must go on meaning what it meant.",
        find=_retired,
    ),
)
