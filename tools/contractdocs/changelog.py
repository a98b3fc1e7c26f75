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
    sections = [_section(text, head) for head in re.finditer(r"^## +(.*)\n", text, re.MULTILINE)]
    unreleased = next((section for section in sections if not section.version), None)
    return Changelog(unreleased, tuple(section for section in sections if section.version))


def _section(text: str, head: re.Match[str]) -> Section:
    version = head[1].partition("]")[0].removeprefix("[").strip()
    body = re.split(r"^## ", text[head.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    entries: dict[str, list[str]] = {}
    for part in re.split(r"^### +", body, flags=re.MULTILINE)[1:]:
        sort, _, items = part.partition("\n")
        found = re.split(r"^[-*] +", items, flags=re.MULTILINE)[1:]
        entries.setdefault(sort.strip(), []).extend(" ".join(item.split()) for item in found)
    line = text.count("\n", 0, head.start()) + 1
    return Section(line, "" if version == "Unreleased" else version, entries)
