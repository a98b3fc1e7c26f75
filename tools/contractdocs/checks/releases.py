"""What was released against what is: Since, levels, clauses, public names, limits and the changelog."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from finalturn.contract import Clause
from finalturn.stability import NEXT
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import Baseline, ReleasedSymbol, load, parsed
from tools.contractdocs.changelog import changelog
from tools.contractdocs.changes import Difference, differences, silent
from tools.contractdocs.checks.declarations import verbs_of
from tools.contractdocs.findings import Finding, kind, short
from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project
from tools.contractdocs.render.values import VALUES

INIT = "src/finalturn/__init__.py"
VERSION = re.compile(r'^__version__(?P<type>: [\w\[\]]+)? = "(?P<version>[^"]*)"', re.MULTILINE)
NONE = Baseline("", {})


def _last(project: Project) -> Baseline:
    """The last release; an empty one before the first."""
    return project.baseline or NONE


# --- versions and levels ----------------------------------------------------------------------------------


@kind("FT50", "since-in-the-past")
def _in_the_past(project: Project) -> Iterator[Finding]:
    last = project.baseline
    lacks = f"the last release, {last.version}, did not have it" if last else "nothing was released yet"
    for symbol in project.api.symbols.values():
        if symbol.level and symbol.path not in _last(project).symbols and symbol.since != NEXT:
            what = f"{symbol.path} is new, and says since {symbol.since}; {lacks}"
            yield Finding(symbol.file, symbol.line, what, "since=NEXT; make release fills the version in")


@kind("FT51", "since-moved")
def _moved(project: Project) -> Iterator[Finding]:
    for symbol, old in _released(project):
        if old.since and symbol.level and old.since != symbol.since:
            what = f"{symbol.path} was released as since {old.since}, and says since {symbol.since}"
            yield Finding(symbol.file, symbol.line, what, f"put {old.since} back")


@kind("FT57", "demoted")
def _demoted(project: Project) -> Iterator[Finding]:
    for symbol, old in _released(project):
        if (old.level, symbol.level) == ("stable", "beta"):
            what = f"{symbol.path} was stable in {_last(project).version}, and is beta"
            yield Finding(symbol.file, symbol.line, what, "make it stable again, or deprecate it")


def _released(project: Project) -> Iterator[tuple[Symbol, ReleasedSymbol]]:
    """Each public name, a clause's constant too, with what it was released as."""
    for path, symbol in project.api.symbols.items():
        if path in _last(project).symbols:
            yield symbol, _last(project).symbols[path]


@kind("FT5D", "baseline-edited")
def _edited(project: Project) -> Iterator[Finding]:
    remedy = "restore it; only make release writes it"
    if not _last(project).intact:
        yield Finding(_last(project).file, 1, "it is not as make release wrote it", remedy)
    last = changelog(project).released
    if load(project.files) is None and last:
        what = f"{last[0].version} is released, and tools/baseline has no release"
        yield Finding(CHANGELOG, last[0].line, what, remedy)


@kind("FT56", "version-mismatch")
def _mismatch(project: Project) -> Iterator[Finding]:
    settings = tomllib.loads(project.files.get("pyproject.toml", ""))
    version = settings.get("project", {}).get("version", "")
    match = VERSION.search(project.files.get(INIT, ""))
    line = project.line_of("pyproject.toml", f'version = "{version}"')
    said = [("pyproject.toml", line, version)]
    said.append((INIT, project.line_of(INIT, "__version__ ="), match["version"] if match else "not there"))
    if project.baseline is not None:
        newest = next(iter(changelog(project).released), None)
        said.append((CHANGELOG, newest.line if newest else 1, newest.version if newest else "not there"))
    expected = project.baseline.version if project.baseline else version
    for file, line, other in said:
        if other != expected:
            remedy = "only make release sets versions; undo the change"
            yield Finding(file, line, f"the version is {other} here, and {expected} elsewhere", remedy)


@kind("FT5E", "limit-changed")
def _limits(project: Project) -> Iterator[Finding]:
    section = changelog(project).unreleased
    told = section.entries.get("Changed", []) if section else []
    for name, old in _last(project).limits.items():
        new = VALUES[name](project) if name in VALUES else "gone"
        if new != old and not any(old in text and new in text for text in told):
            what = f"{name} was {old} in {_last(project).version}, and is {new}"
            line = section.line if section else 1
            yield Finding(CHANGELOG, line, what, "undo; or say so below Changed, with both")


# --- clauses ----------------------------------------------------------------------------------------------


@kind("FT52", "weakened")
def _weakened(project: Project) -> Iterator[Finding]:
    here: dict[str, Clause] = {clause.id: clause for clause in project.clauses}
    remedy = "restore it; or deprecate the clause first, and promise the weaker one under a new id"
    for name, old in _last(project).clauses.items():
        clause = here.get(name)
        if old.stability != "stable" or (clause is None and old.removal):
            continue
        head = f"{name}, stable since {old.since}, "
        if clause is None:
            yield Finding(_last(project).file, 1, f"{head}is gone, and was not deprecated", remedy)
            continue
        if gone := sorted(set(old.surfaces) - set(clause.surfaces)):
            yield project.at_clause(name, f"{head}lost surface {', '.join(gone)}", remedy)
        was, now = verbs_of(old.statement), verbs_of(clause.statement)
        if was != now:
            what = f"{head}said {' and '.join(was)}, and says {' and '.join(now)}"
            yield project.at_clause(name, what, remedy)


@kind("FT53", "reworded")
def _reworded(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        old = _last(project).clauses.get(clause.id)
        was, now = (old.statement, old.revised) if old else (clause.statement, ""), clause.statement
        if " ".join(was[0].split()) == " ".join(now.split()):
            if (clause.revised or "") != was[1]:
                what = f"{clause.id} says what it said; revised was {was[1] or None}, is {clause.revised}"
                yield project.at_clause(clause.id, what, "undo")
        elif clause.revised != NEXT:
            said, says = short(was[0], now), short(now, was[0])
            what = f'{clause.id} said in {_last(project).version}: "{said}"; it says: "{says}"'
            remedy = "set revised=NEXT, read its tests again, and name it in the changelog; or undo"
            yield project.at_clause(clause.id, what, remedy)


@kind("FT5B", "reused-id")
def _retired(project: Project) -> Iterator[Finding]:
    retired = _last(project).retired
    for clause in project.clauses:
        if clause.id in retired:
            what = f"{clause.id} was released once, and was gone in {retired[clause.id]}"
            yield project.at_clause(clause.id, what, "take another id; ids are not used again")


@kind("FT55", "overdue")
def _overdue(project: Project) -> Iterator[Finding]:
    now = _last(project).version or "0.0.0"
    for clause in project.clauses:
        old, gone = _last(project).clauses.get(clause.id), clause.deprecation
        newly, said, remedy = old is None or not old.removal, "", ""
        if gone is None:
            if not newly:
                said = f"was deprecated in {now}, and no longer is"
                remedy = "restore the deprecation; a promise that was taken back comes under a new id"
        elif parsed(gone.removal) <= parsed(now):
            said = f"is deprecated, and was to be gone in {gone.removal}; this is {now}"
            remedy = "remove it, or name a later version"
        elif newly and gone.since != NEXT:
            said, remedy = f"is newly deprecated, and says since {gone.since}", "since=NEXT"
        elif newly and clause.stability == "stable" and parsed(gone.removal)[1:] != (0, 0):
            said = f"is stable, and is to go in {gone.removal}, which is no major version"
            remedy = "name a major version"
        if said:
            yield project.at_clause(clause.id, f"{clause.id} {said}", remedy)


# --- the changelog ----------------------------------------------------------------------------------------


@kind("FT54", "silent-changelog")
def _silent(project: Project) -> Iterator[Finding]:
    section = changelog(project).unreleased
    if section is None:
        yield Finding(CHANGELOG, 1, "there is no section [Unreleased]", "put it above the releases")
        return
    for one, lacks in silent(project, section):
        if not _breaks_code(one, project):
            what = f"{one.name} has changed since the last release ({one.said}), and {lacks}"
            yield Finding(CHANGELOG, section.line, what, f'below "{one.sorts[0]}": {one.draft}')


@kind("FT58", "breaking")
def _breaking(project: Project) -> Iterator[Finding]:
    last, section = _last(project), changelog(project).unreleased
    lacking = {one.name: lacks for one, lacks in silent(project, section)} if section else {}
    for one in differences(project):
        if one.sorts[0] == "Removed" and not last.version.startswith("0.") and not one.deprecated:
            lacking[one.name] = "it was not deprecated"
        if _breaks_code(one, project) and one.name in lacking:
            what = f"code that uses {one.name}, stable in {last.version}, breaks: {one.said}"
            remedy = f'undo; or deprecate it first, and say below "{one.sorts[0]}": {one.draft}'
            yield Finding(one.file, one.line, f"{what}; {lacking[one.name]}", remedy)


def _breaks_code(one: Difference, project: Project) -> bool:
    return one.breaks and one.name not in _last(project).clauses
