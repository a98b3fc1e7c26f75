"""The changelog: a section for each version, in it a list for each sort of change."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project


class Section(NamedTuple):
    """What is said of one version.

    The version is "" where nothing is released yet; entries are the items of its lists, on one line each, by
    sort of change.
    """

    line: int
    version: str
    entries: dict[str, list[str]]


class Changelog(NamedTuple):
    """What the next release changes, and all that were; ``None`` where there is no such section."""

    unreleased: Section | None
    released: tuple[Section, ...]


def changelog(project: Project) -> Changelog:
    """The project's changelog."""
    return _read(project.files.get(CHANGELOG, ""))


@lru_cache(maxsize=64)
def _read(text: str) -> Changelog:
    sections = tuple(_section(text, head, end) for head, end in _parts("##", text))
    unreleased = next((section for section in sections if not section.version), None)
    return Changelog(unreleased, tuple(section for section in sections if section.version))


def _parts(mark: str, text: str) -> list[tuple[re.Match[str], int]]:
    """The headings of a level, each with the end of what stands below it."""
    heads = list(re.finditer(rf"^{mark} +(.*?) *$", text, re.MULTILINE))
    return list(zip(heads, [*(head.start() for head in heads[1:]), len(text)], strict=False))


def _section(text: str, head: re.Match[str], end: int) -> Section:
    version = head[1].partition("]")[0].removeprefix("[")
    body = text[head.end() : end]
    entries: dict[str, list[str]] = {}
    for sort, stop in _parts("###", body):
        items = re.split(r"^[-*] +", body[sort.end() : stop], flags=re.MULTILINE)[1:]
        entries.setdefault(sort[1], []).extend(" ".join(item.split()) for item in items)
    line = text.count("\n", 0, head.start()) + 1
    return Section(line, "" if version == "Unreleased" else version, entries)
