"""Kinds of drift between the changelog and what changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

from tools.contractdocs import _review
from tools.contractdocs._baseline import parsed
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_changelog import FILE, SORTS, Section, changelog
from tools.contractdocs._project import Project
from tools.contractdocs._release_changes import differences, silent


def _breaking(project: Project) -> Iterator[Place]:
    """Breaking changes of public names that are told nowhere, or come before a deprecation did."""
    baseline = project.baseline
    if baseline is None:
        return
    told = {one.name for one, _ in silent(project, changelog(project).unreleased)}
    clauses = {clause.id for clause in project.clauses} | baseline.clauses.keys()
    for one in differences(project):
        if not one.breaks or one.name in clauses:
            continue
        undeprecated = parsed(baseline.version)[0] > 0 and one.sorts[0] == "Removed"
        if undeprecated and not any(
            old.deprecated for path, old in baseline.symbols.items() if path.endswith(f".{one.name}")
        ):
            yield at(
                one.file,
                one.line,
                name=one.name,
                version=baseline.version,
                said=f"{one.said}, and was not deprecated",
            )
        elif one.name in told:
            yield at(one.file, one.line, name=one.name, version=baseline.version, said=one.said)


def _silent(project: Project) -> Iterator[Place]:
    section = changelog(project).unreleased
    if section is None:
        return
    for one, lacks in silent(project, section):
        draft = one.draft.removeprefix("- ")
        yield at(
            FILE, section.line, name=one.name, said=one.said, lacks=lacks, draft=draft, sort=one.sorts[0]
        )


def _form(project: Project) -> Iterator[Place]:
    log = changelog(project)
    if not log.sections or not log.sections[0].unreleased:
        line = log.sections[0].line if log.sections else 1
        yield at(FILE, line, said="the first section is not [Unreleased]", do="put ## [Unreleased] above it")
    if sum(section.unreleased for section in log.sections) > 1:
        line = [section for section in log.sections if section.unreleased][1].line
        yield at(FILE, line, said="there are two sections [Unreleased]", do="make them one")
    for section in log.released:
        if _date(section) is None or not _is_version(section.version):
            said = f'"{section.title}" is no title of a release'
            yield at(FILE, section.line, said=said, do="write ## [0.1.0] - 2026-01-31")
    yield from _order(log.released)
    for section in log.sections:
        yield from _sorts(section)


def _order(released: tuple[Section, ...]) -> Iterator[Place]:
    for newer, older in pairwise(released):
        if not (_is_version(newer.version) and _is_version(older.version)):
            continue
        if parsed(newer.version) <= parsed(older.version):
            said = f"{older.version} stands below {newer.version}"
            yield at(FILE, older.line, said=said, do="put the newest first")
        elif (_date(newer) or date.max) < (_date(older) or date.min):
            said = f"{newer.version} is of {newer.date}, before {older.version}, which is of {older.date}"
            yield at(FILE, newer.line, said=said, do="mend the date")


def _sorts(section: Section) -> Iterator[Place]:
    seen: list[str] = []
    for line, title in section.sorts:
        if title not in SORTS:
            yield at(FILE, line, said=f'"{title}" is no sort of change', do=f"there are {', '.join(SORTS)}")
        elif title in seen:
            yield at(FILE, line, said=f'"{title}" stands twice in {section.title}', do="make them one")
        elif not section.entries.get(title):
            yield at(FILE, line, said=f'"{title}" lists nothing', do="list something, or take it out")
        seen.append(title)
    for entries in section.entries.values():
        for entry in entries:
            if re.search(r"\bTODO\b", entry.text):
                yield at(
                    FILE,
                    entry.line,
                    said="a line still says TODO",
                    do="say what users must do, or that they need not",
                )


def _date(section: Section) -> date | None:
    try:
        return date.fromisoformat(section.date)
    except ValueError:
        return None


def _is_version(text: str) -> bool:
    try:
        parsed(text)
    except ValueError:
        return False
    return True


def _rewritten(project: Project) -> Iterator[Place]:
    known = _review.stored_notes(project)
    for section in changelog(project).released:
        if known.get(section.version) != _review.digest(section.text):
            yield at(FILE, section.line, version=section.version)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT54",
        name="silent-changelog",
        what="{name} has changed since the last release ({said}), and {lacks}",
        remedy='below "{sort}": {draft}',
        why=(
            "The changelog is what users read before they upgrade. Every public name and clause that is"
            " added, changed, deprecated or removed is in it, in the section for that sort of change."
        ),
        find=_silent,
    ),
    Kind(
        code="FT58",
        name="breaking",
        what="{name} is stable in {version}, and code that uses it breaks: {said}",
        remedy="undo; or deprecate it first, and name it in the changelog with what users must do",
        why=(
            "A stable name keeps its meaning until a major version. Before version 1 it may change in a minor"
            " one, with a line that says what to do."
        ),
        find=_breaking,
    ),
    Kind(
        code="FT59",
        name="changelog-form",
        what="{said}",
        remedy="{do}",
        why="Release tools and people find a version by the form of its heading.",
        find=_form,
    ),
    Kind(
        code="FT5C",
        name="rewritten-release",
        what="what it says of {version} is not what was released",
        remedy="undo; or read it beside the release, and python -m tools.contractdocs review",
        why="What was said of a release has been read and acted upon.",
        find=_rewritten,
    ),
)
