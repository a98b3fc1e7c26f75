"""The changelog: a section for each version, in it a list for each sort of change."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tools.contractdocs.markdown import CHANGELOG
from tools.contractdocs.project import Project

SORTS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""The sorts of change, in the order that they stand in a section."""

_TITLE = re.compile(r"\[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?")


class Entry(NamedTuple):
    """One item of a list, with what continues it, and its line."""

    line: int
    text: str


class Section(NamedTuple):
    """What is said of one version: from the end of its heading to the next.

    Version and date are "" where the heading has none; entries are the items of its lists, by sort of change;
    sorts are line and title of each heading in it.
    """

    title: str
    line: int
    version: str
    date: str
    unreleased: bool
    text: str
    start: int
    end: int
    entries: dict[str, list[Entry]]
    sorts: tuple[tuple[int, str], ...]


class Changelog(NamedTuple):
    """All sections, as they stand."""

    sections: tuple[Section, ...]

    @property
    def unreleased(self) -> Section | None:
        """What the next release changes; ``None`` where there is no such section."""
        return next((section for section in self.sections if section.unreleased), None)

    @property
    def released(self) -> tuple[Section, ...]:
        """The other sections."""
        return tuple(section for section in self.sections if not section.unreleased)


def changelog(project: Project) -> Changelog:
    """The project's changelog."""
    return read_changelog(project.files.get(CHANGELOG, ""))


@lru_cache(maxsize=64)
def read_changelog(text: str) -> Changelog:
    """Read a changelog."""
    return Changelog(tuple(_section(text, head, end) for head, end in _parts(text, "##", 0, len(text))))


def _parts(text: str, mark: str, start: int, end: int) -> list[tuple[re.Match[str], int]]:
    """The headings of a level between two places, each with the end of what stands below it."""
    heads = list(re.compile(rf"^{mark} +(.*?) *$", re.MULTILINE).finditer(text, start, end))
    return list(zip(heads, [*(head.start() for head in heads[1:]), end], strict=False))


def _section(text: str, head: re.Match[str], end: int) -> Section:
    inner = _parts(text, "###", head.end(), end)
    entries: dict[str, list[Entry]] = {}
    for one, stop in inner:
        entries.setdefault(one[1], []).extend(_entries(text[one.end() : stop], _line(text, one.end())))
    match = _TITLE.fullmatch(head[1])
    version = match["version"] if match else ""
    unreleased = version.lower() == "unreleased"
    return Section(
        title=head[1],
        line=_line(text, head.start()),
        version="" if unreleased else version,
        date=(match["date"] or "") if match else "",
        unreleased=unreleased,
        text=text[head.end() : end],
        start=head.end(),
        end=end,
        entries=entries,
        sorts=tuple((_line(text, one.start()), one[1]) for one, _ in inner),
    )


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _entries(body: str, first_line: int) -> list[Entry]:
    found: list[Entry] = []
    for number, line in enumerate(body.split("\n"), first_line):
        if match := re.match(r"[-*] +(.*)", line):
            found.append(Entry(number, match[1].strip()))
        elif found and line.strip():
            last = found.pop()
            found.append(Entry(last.line, f"{last.text} {line.strip()}"))
    return found
