"""What was released against what is: Since, levels, clauses, public names, limits and the changelog."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from finalturn.contract import Clause
from finalturn.stability import NEXT
from tools.contractdocs.baseline import Baseline, load, parsed
from tools.contractdocs.changelog import SORTS, Section, changelog
from tools.contractdocs.changes import differences, silent
from tools.contractdocs.checks.declarations import verbs_of
from tools.contractdocs.findings import Finding, kind, short
from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project
from tools.contractdocs.render.values import VALUES
from tools.contractdocs.review import digest, stored_notes

INIT = "src/finalturn/__init__.py"
VERSION = re.compile(r'^__version__(?P<type>: [\w\[\]]+)? = "(?P<version>[^"]*)"', re.MULTILINE)
NONE = Baseline("", {})


# --- versions and levels ----------------------------------------------------------------------------------


def _things(project: Project) -> Iterator[tuple[str, str, str, tuple[str, str] | None, str, int]]:
    """Everything with a Since: name, level, Since, level and Since as released, file and line."""
    baseline = project.baseline or NONE
    for clause in project.clauses:
        old = baseline.clauses.get(clause.id)
        was = (old.stability, old.since) if old else None
        yield clause.id, clause.stability, clause.since, was, *project.place_of_clause(clause.id)
    for path, symbol in project.api.symbols.items():
        if symbol.level and not re.match(r"\w+ = Clause\(", symbol.signature):
            released = baseline.symbols.get(path)
            was = (released.level, released.since) if released else None
            yield path, symbol.level, symbol.since, was, symbol.file, symbol.line


@kind("FT50", "since-in-the-past")
def _in_the_past(project: Project) -> Iterator[Finding]:
    baseline = project.baseline
    last = (
        f"the last release, {baseline.version}, did not have it" if baseline else "nothing was released yet"
    )
    for name, _, since, was, file, line in _things(project):
        if was is None and since != NEXT:
            what = f"{name} is new, and says since {since}; {last}"
            yield Finding(file, line, what, "since=NEXT; make release fills the version in")


@kind("FT51", "since-moved")
def _moved(project: Project) -> Iterator[Finding]:
    for name, _, since, was, file, line in _things(project):
        if was is not None and was[1] and was[1] != since:
            what = f"{name} was released as since {was[1]}, and says since {since}"
            yield Finding(file, line, what, f"put {was[1]} back")


@kind("FT57", "demoted")
def _demoted(project: Project) -> Iterator[Finding]:
    for name, level, _, was, file, line in _things(project):
        if was is not None and was[0] == "stable" and level == "beta":
            what = f"{name} was stable in {(project.baseline or NONE).version}, and is beta"
            yield Finding(file, line, what, "make it stable again, or deprecate it")


@kind("FT5A", "next-left-behind")
def _left_behind(project: Project) -> Iterator[Finding]:
    baseline = project.baseline or NONE
    since = {name: one.since for name, one in baseline.clauses.items()}
    since |= {name: one.since for name, one in baseline.symbols.items()}
    for name, version in since.items():
        if version == NEXT:
            what = f"{name} was released in {baseline.version} as since NEXT"
            remedy = "release with make release, which fills it in; mend the baseline by releasing again"
            yield Finding(baseline.file, project.line_of(baseline.file, f'"{name}"'), what, remedy)


@kind("FT5D", "baseline-edited")
def _edited(project: Project) -> Iterator[Finding]:
    remedy = "restore it; only make release writes it"
    if project.baseline is not None and not project.baseline.intact:
        yield Finding(project.baseline.file, 1, "it is not as make release wrote it", remedy)
    last = changelog(project).released
    if load(project.files) is None and last:
        what = f"{last[0].version} is released, and tools/baseline has no release"
        yield Finding(CHANGELOG, last[0].line, what, remedy)


@kind("FT56", "version-mismatch")
def _mismatch(project: Project) -> Iterator[Finding]:
    remedy = "only make release sets versions; undo the change"
    settings = tomllib.loads(project.files.get("pyproject.toml", ""))
    version = settings.get("project", {}).get("version", "")
    match = VERSION.search(project.files.get(INIT, ""))
    if match is None or match["version"] != version:
        init = match["version"] if match else "not there"
        line = project.line_of(INIT, "__version__ =") if match else 1
        yield Finding(INIT, line, f"__version__ is {init}; pyproject.toml says {version}", remedy)
    if project.baseline is None:
        return
    last = f"the last release is {project.baseline.version}"
    if version != project.baseline.version:
        line = project.line_of("pyproject.toml", f'version = "{version}"')
        yield Finding("pyproject.toml", line, f"the version is {version}; {last}", remedy)
    released = changelog(project).released
    newest = released[0].version if released else "none"
    if newest != project.baseline.version:
        line = released[0].line if released else 1
        yield Finding(CHANGELOG, line, f"its newest release is {newest}; {last}", remedy)


@kind("FT5E", "limit-changed")
def _limits(project: Project) -> Iterator[Finding]:
    baseline, section = project.baseline or NONE, changelog(project).unreleased
    told = [entry.text for entry in section.entries.get("Changed", [])] if section else []
    for name, old in baseline.limits.items():
        new = VALUES[name](project) if name in VALUES else "gone"
        if section and new != old and not any(old in text and new in text for text in told):
            what = f"{name} was {old} in {baseline.version}, and is {new}"
            yield Finding(CHANGELOG, section.line, what, "undo; or say so below Changed, with both")


# --- clauses ----------------------------------------------------------------------------------------------


@kind("FT52", "weakened")
def _weakened(project: Project) -> Iterator[Finding]:
    baseline = project.baseline or NONE
    here: dict[str, Clause] = {clause.id: clause for clause in project.clauses}
    remedy = "restore it; or deprecate the clause first, and promise the weaker one under a new id"
    for name, old in baseline.clauses.items():
        clause = here.get(name)
        if old.stability != "stable" or (clause is None and old.removal):
            continue
        head = f"{name}, stable since {old.since}, "
        if clause is None:
            yield Finding(baseline.file, 1, f"{head}is gone, and was not deprecated", remedy)
            continue
        if gone := sorted(set(old.surfaces) - set(clause.surfaces)):
            surfaces = f"surface{'s' if len(gone) > 1 else ''} {', '.join(gone)}"
            yield project.at_clause(name, f"{head}lost {surfaces}", remedy)
        was, now = verbs_of(old.statement), verbs_of(clause.statement)
        if was != now:
            what = f"{head}said {' and '.join(was)}, and says {' and '.join(now)}"
            yield project.at_clause(name, what, remedy)


@kind("FT53", "reworded")
def _reworded(project: Project) -> Iterator[Finding]:
    baseline = project.baseline or NONE
    for clause in project.clauses:
        old = baseline.clauses.get(clause.id)
        if old is None:
            if clause.revised is not None:
                what = f'{clause.id} is new, and is revised="{clause.revised}"'
                yield project.at_clause(clause.id, what, "take revised out")
            continue
        changed = " ".join(old.statement.split()) != " ".join(clause.statement.split())
        if changed and clause.revised != NEXT:
            was, now = short(old.statement, clause.statement), short(clause.statement, old.statement)
            what = f'{clause.id} said in {baseline.version}: "{was}"; it says: "{now}"'
            remedy = "set revised=NEXT, read its tests again, and name it in the changelog; or undo"
            yield project.at_clause(clause.id, what, remedy)
        elif not changed and (clause.revised or "") != old.revised:
            revised = f"revised was {old.revised or None}, is {clause.revised}"
            what = f"{clause.id} says what it said in {baseline.version}; {revised}"
            yield project.at_clause(clause.id, what, "undo")


@kind("FT5B", "reused-id")
def _retired(project: Project) -> Iterator[Finding]:
    retired = (project.baseline or NONE).retired
    for clause in project.clauses:
        if clause.id in retired:
            what = f"{clause.id} was released once, and was gone in {retired[clause.id]}"
            yield project.at_clause(clause.id, what, "take another id; ids are not used again")


@kind("FT55", "overdue")
def _overdue(project: Project) -> Iterator[Finding]:
    for clause in project.clauses:
        if problem := _deprecation(clause, project.baseline or NONE):
            yield project.at_clause(clause.id, f"{clause.id}{problem[0]}", problem[1])


def _deprecation(clause: Clause, baseline: Baseline) -> tuple[str, str] | None:
    """What is wrong with the deprecation of a clause, and what to do."""
    now, old, gone = baseline.version or "0.0.0", baseline.clauses.get(clause.id), clause.deprecation
    newly = old is None or not old.removal
    if gone is None:
        remedy = "restore the deprecation; a promise that was taken back comes under a new id"
        return None if newly else (f" was deprecated in {now}, and no longer is", remedy)
    try:
        due = parsed(gone.removal)
    except ValueError as error:
        return f": {error}", "write the version that will no longer have it"
    if due <= parsed(now):
        said = f" is deprecated, and was to be gone in {gone.removal}; this is {now}"
        return said, "remove it, or name a later version"
    if newly and gone.since != NEXT:
        return f" is newly deprecated, and says since {gone.since}", "since=NEXT"
    if clause.stability == "stable" and newly and due[1:] != (0, 0):
        return (
            f" is stable, and is to go in {gone.removal}, which is no major version",
            "name a major version",
        )
    return None


# --- the changelog ----------------------------------------------------------------------------------------


@kind("FT58", "breaking")
def _breaking(project: Project) -> Iterator[Finding]:
    """Breaking changes of public names that are told nowhere, or come before a deprecation did."""
    baseline = project.baseline
    if baseline is None:
        return
    told = {one.name for one, _ in silent(project, changelog(project).unreleased)}
    clauses = {clause.id for clause in project.clauses} | baseline.clauses.keys()
    deprecated = {path for path, old in baseline.symbols.items() if old.deprecated}
    remedy = "undo; or deprecate it first, and name it in the changelog with what users must do"
    for one in differences(project):
        if not one.breaks or one.name in clauses:
            continue
        what = f"{one.name} is stable in {baseline.version}, and code that uses it breaks: {one.said}"
        removed = parsed(baseline.version)[0] > 0 and one.sorts[0] == "Removed"
        if removed and not any(path.endswith(f".{one.name}") for path in deprecated):
            yield Finding(one.file, one.line, f"{what}, and was not deprecated", remedy)
        elif one.name in told:
            yield Finding(one.file, one.line, what, remedy)


@kind("FT54", "silent-changelog")
def _silent(project: Project) -> Iterator[Finding]:
    section = changelog(project).unreleased
    for one, lacks in silent(project, section) if section else ():
        what = f"{one.name} has changed since the last release ({one.said}), and {lacks}"
        remedy = f'below "{one.sorts[0]}": {one.draft.removeprefix("- ")}'
        yield Finding(CHANGELOG, section.line if section else 1, what, remedy)


@kind("FT59", "changelog-form")
def _form(project: Project) -> Iterator[Finding]:
    log = changelog(project)
    if not log.sections or not log.sections[0].unreleased:
        line = log.sections[0].line if log.sections else 1
        what = "the first section is not [Unreleased]"
        yield Finding(CHANGELOG, line, what, "put ## [Unreleased] above it")
    if len(unreleased := [section for section in log.sections if section.unreleased]) > 1:
        what = "there are two sections [Unreleased]"
        yield Finding(CHANGELOG, unreleased[1].line, what, "make them one")
    for section in log.released:
        if _dated(section) is None:
            what = f'"{section.title}" is no title of a release'
            yield Finding(CHANGELOG, section.line, what, "write ## [0.1.0] - 2026-01-31")
    for newer, older in pairwise(log.released):
        new, old = _dated(newer), _dated(older)
        if new and old and new[0] <= old[0]:
            what = f"{older.version} stands below {newer.version}"
            yield Finding(CHANGELOG, older.line, what, "put the newest first")
        elif new and old and new[1] < old[1]:
            what = f"{newer.version} is of {newer.date}, before {older.version}, which is of {older.date}"
            yield Finding(CHANGELOG, newer.line, what, "mend the date")
    for section in log.sections:
        for line, what, remedy in _sorts(section):
            yield Finding(CHANGELOG, line, what, remedy)


def _sorts(section: Section) -> Iterator[tuple[int, str, str]]:
    seen: list[str] = []
    for line, title in section.sorts:
        if title not in SORTS:
            yield line, f'"{title}" is no sort of change', f"there are {', '.join(SORTS)}"
        elif title in seen:
            yield line, f'"{title}" stands twice in {section.title}', "make them one"
        elif not section.entries.get(title):
            yield line, f'"{title}" lists nothing', "list something, or take it out"
        seen.append(title)
    for entry in (entry for entries in section.entries.values() for entry in entries):
        if re.search(r"\bTODO\b", entry.text):
            yield entry.line, "a line still says TODO", "say what users must do, or that they need not"


def _dated(section: Section) -> tuple[tuple[int, int, int], date] | None:
    """The version and the date of a release; ``None`` where its title does not have both."""
    try:
        return parsed(section.version), date.fromisoformat(section.date)
    except ValueError:
        return None


@kind("FT5C", "rewritten-release")
def _rewritten(project: Project) -> Iterator[Finding]:
    known = stored_notes(project)
    for section in changelog(project).released:
        if known.get(section.version) != digest(section.text):
            what = f"what it says of {section.version} is not what was released"
            remedy = (
                "undo; or read it beside the release, and python -m tools.contractdocs review CHANGELOG.md"
            )
            yield Finding(CHANGELOG, section.line, what, remedy)
