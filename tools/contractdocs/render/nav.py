"""The navigation of mkdocs.yml: which pages the site has, and in which order.

It is read line by line, since the check runs without mkdocs and its parser: one entry a line, indented by
spaces. What is written in another way is an error, never skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

FILE = "mkdocs.yml"

_ENTRY = re.compile(r"(?P<indent> *)- +(?P<rest>\S.*)")
_TITLED = re.compile(r"(?P<title>\"[^\"]+\"|'[^']+'|[^\"':#][^:#]*): *(?P<page>[^\s#\"']+\.md)?")
_PAGE = re.compile(r"[^\s#:\"']+\.md")


class NavError(Exception):
    """The navigation cannot be read; the text names the line."""


@dataclass(frozen=True)
class Entry:
    """A page of the site.

    Attributes:
        path: from docs/.
        title: what the navigation calls it; "" where the page's own heading does.
        section: the titles of the sections around it.
        line: in mkdocs.yml.
    """

    path: str
    title: str
    section: tuple[str, ...]
    line: int


def nav(files: Mapping[str, str]) -> tuple[Entry, ...]:
    """Every page, in order.

    Raises:
        NavError: there is no navigation, or an entry of it is written in a way that is not understood.
    """
    found = tuple(_entries(files.get(FILE, "")))
    if not found:
        raise NavError(f"{FILE}:1 has no nav with pages")
    return found


def _entries(text: str) -> Iterator[Entry]:
    inside = False
    sections: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not inside or (line and line[0] not in " #-"):
            inside = line.rstrip() == "nav:"
            continue
        content = re.sub(r"(^|\s+)#.*$", "", line)
        if not content.strip():
            continue
        indent, title, path = _read(content, number)
        while sections and sections[-1][0] >= indent:
            sections.pop()
        if path:
            yield Entry(path, title, tuple(name for _, name in sections), number)
        else:
            sections.append((indent, title))


def _read(line: str, number: int) -> tuple[int, str, str]:
    entry = _ENTRY.fullmatch(line.rstrip())
    rest = entry["rest"] if entry else ""
    titled = _TITLED.fullmatch(rest)
    if entry and titled:
        return len(entry["indent"]), titled["title"].strip("\"'").strip(), titled["page"] or ""
    if entry and _PAGE.fullmatch(rest):
        return len(entry["indent"]), "", rest
    raise NavError(f"{FILE}:{number} is not understood: write '- Title: page.md', '- page.md' or '- Title:'")
