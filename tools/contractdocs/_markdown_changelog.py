"""The changelog: a section for each version, in it a list for each sort of change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from tools.contractdocs._markdown import read
from tools.contractdocs._project import Project

FILE = "CHANGELOG.md"
SORTS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
"""The sorts of change, in the order that they stand in a section."""

_TITLE = re.compile(r"\[(?P<version>[^\]]+)\](?: - (?P<date>\S+))?")


@dataclass(frozen=True)
class Entry:
    """One line of a list, with what continues it."""

    line: int
    text: str


@dataclass(frozen=True)
class Section:
    """What is said of one version.

    Attributes:
        title: of its heading.
        line: of its heading.
        version: "" where it is the unreleased one, or where the title is not understood.
        date: "" where there is none.
        unreleased: whether it is the unreleased one.
        text: all that stands below the heading.
        start: where that starts.
        end: where it ends.
        entries: the lists' items, by sort of change, in order of appearance.
        sorts: line and title of each heading in it.
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


@dataclass(frozen=True)
class Changelog:
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
    return read_changelog(project.files.get(FILE, ""))


@lru_cache(maxsize=64)
def read_changelog(text: str) -> Changelog:
    """Read a changelog."""
    document = read(text)
    heads = [heading for heading in document.headings if heading.level == 2]
    found: list[Section] = []
    for heading, after in zip(heads, [*heads[1:], None], strict=False):
        end = after.start if after else len(text)
        inner = [one for one in document.headings if one.level == 3 and heading.end <= one.start < end]
        entries: dict[str, list[Entry]] = {}
        for one, next_one in zip(inner, [*inner[1:], None], strict=False):
            body = text[one.end : next_one.start if next_one else end]
            entries.setdefault(one.text, []).extend(_entries(body, document.line_at(one.end)))
        match = _TITLE.fullmatch(heading.text)
        version = match["version"] if match else ""
        unreleased = version.lower() == "unreleased"
        found.append(
            Section(
                title=heading.text,
                line=heading.line,
                version="" if unreleased else version,
                date=(match["date"] or "") if match else "",
                unreleased=unreleased,
                text=text[heading.end : end],
                start=heading.end,
                end=end,
                entries=entries,
                sorts=tuple((one.line, one.text) for one in inner),
            )
        )
    return Changelog(tuple(found))


def _entries(body: str, first_line: int) -> list[Entry]:
    found: list[Entry] = []
    for number, line in enumerate(body.split("\n"), first_line):
        if match := re.match(r"[-*] +(.*)", line):
            found.append(Entry(number, match[1].strip()))
        elif found and line.strip():
            last = found.pop()
            found.append(Entry(last.line, f"{last.text} {line.strip()}"))
    return found
