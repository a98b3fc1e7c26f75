"""The changelog's part of a release: lines that are drafted, and the section that becomes the version's."""

from __future__ import annotations

import re
from dataclasses import replace

from tools.contractdocs._baseline import load
from tools.contractdocs._markdown_changelog import FILE, SORTS, changelog, read_changelog
from tools.contractdocs._project import Project
from tools.contractdocs._release_changes import silent

CONTRACT = """\
- [The contract](docs/contract/index.md): <!-- value: clauses --><!-- end --> clauses, of which
  <!-- value: stable-clauses --><!-- end --> are stable and <!-- value: beta-clauses --><!-- end --> beta."""
"""What the first release says of it."""

_VALUE = re.compile(r"<!-- value: [\w-]+ -->(.*?)<!-- end -->", re.DOTALL)


def missing(project: Project) -> dict[str, list[str]]:
    """The lines that the unreleased section lacks, by sort of change.

    Before the first release, nothing can be new: one line tells of the whole contract.
    """
    section = changelog(project).unreleased
    found: dict[str, list[str]] = {}
    for one, lacks in silent(project, section):
        if lacks.startswith("nothing"):
            found.setdefault(one.sorts[0], []).append(one.draft)
    if project.baseline is None and section is not None and "](docs/contract/index.md)" not in section.text:
        found.setdefault("Added", []).append(CONTRACT)
    return {sort: found[sort] for sort in SORTS if sort in found}


def draft(project: Project) -> str:
    """The missing lines, below their headings; a sentence where nothing is missing."""
    if project.baseline is None:
        project = replace(project, baseline=load(project.files))
    found = missing(project)
    if not found:
        return "The changelog names everything that changed."
    return "\n\n".join("\n".join([f"### {sort}", "", *lines]) for sort, lines in found.items())


def with_drafts(project: Project) -> Project:
    """The project with the missing lines in its changelog."""
    for sort, lines in missing(project).items():
        project = project.with_file(FILE, _with_lines(project, sort, lines))
    return project


def _with_lines(project: Project, sort: str, lines: list[str]) -> str:
    section = changelog(project).unreleased
    text = project.files[FILE]
    if section is None:
        return text
    body = text[section.start : section.end].rstrip("\n")
    parts = body.split(f"\n### {sort}\n")
    if len(parts) == 2:
        head, rest = parts
        entries, mark, after = rest.partition("\n### ")
        new = "\n".join([entries.rstrip("\n"), *lines])
        body = f"{head}\n### {sort}\n{new}" + (f"\n\n### {after}" if mark else "")
    else:
        later = [other for other in SORTS[SORTS.index(sort) + 1 :] if f"\n### {other}\n" in body]
        block = "\n".join([f"### {sort}", "", *lines])
        if later:
            head, after = body.split(f"\n### {later[0]}\n", 1)
            body = f"{head.rstrip()}\n\n{block}\n\n### {later[0]}\n{after}"
        else:
            body = f"{body.rstrip()}\n\n{block}"
    tail = text[section.end :]
    return f"{text[: section.start]}{body}\n" + (f"\n{tail}" if tail else "")


def closed(text: str, version: str, date: str) -> str:
    """The changelog with its unreleased section given to a version, and a fresh one above it.

    Values in the section become plain text: what was true of a release does not change any more.
    """
    section = read_changelog(text).unreleased
    if section is None:
        return text
    head = text[: section.start]
    head = head[: head.rindex("##")]
    body = _VALUE.sub(r"\1", text[section.start : section.end])
    return f"{head}## [Unreleased]\n\n## [{version}] - {date}{body}{text[section.end :]}"
