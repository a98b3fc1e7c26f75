"""The navigation of mkdocs.yml: which pages the site has, and in which order.

It is read line by line, since the check runs without mkdocs and its parser: one entry a line, indented by
spaces. What is written in another way is an error, never skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

FILE = "mkdocs.yml"

_ENTRY = re.compile(
    r""" *- +(?:(?P<quote>["'])(?P<quoted>[^"']+)(?P=quote): *|(?P<title>[^"'\[{:#][^:#]*): *)?"""
    r"""(?P<page>[^\s#:"'\[{]+\.md)? *"""
)


class NavError(Exception):
    """The navigation cannot be read; the text names the line."""


class Entry(NamedTuple):
    """A page: its path from docs/, its title ("" for its own heading), and its line in mkdocs.yml."""

    path: str
    title: str
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
    for number, line in enumerate(text.splitlines(), 1):
        if not inside or (line and line[0] not in " #-"):
            inside = line.rstrip() == "nav:"
            continue
        content = re.sub(r"(^|\s+)#.*$", "", line)
        if not content.strip():
            continue
        match = _ENTRY.fullmatch(content)
        if match is None or not (match["page"] or match["title"] or match["quoted"]):
            form = "write '- Title: page.md', '- page.md' or '- Title:'"
            raise NavError(f"{FILE}:{number} is not understood: {form}")
        if match["page"]:
            yield Entry(match["page"], (match["title"] or match["quoted"] or "").strip(), number)
