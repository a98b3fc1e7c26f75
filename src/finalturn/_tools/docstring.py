"""Reads docstrings: what they say about a function and about each of its arguments."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

_GOOGLE_HEADER = re.compile(r"(?:Args|Arguments|Parameters|Params):\s*")
_ANY_HEADER = re.compile(r"[A-Z][A-Za-z ]*:\s*")
_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")
_UNDERLINE = re.compile(r"-{3,}\s*")
_NUMPY_ENTRY = re.compile(r"(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?")
_SPHINX_ENTRY = re.compile(r":(?:param|parameter|arg|argument)\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)")
_SPHINX_FIELD = re.compile(r":\w+[^:]*:")


def summary(doc: str | None) -> str:
    """The docstring's first paragraph, on one line; ``""`` when it starts with a section."""
    summary_lines: list[str] = []
    lines = _lines(doc)
    for number, line in enumerate(lines):
        if not line.strip() or _starts_section(lines, number):
            break
        summary_lines.append(line.strip())
    return " ".join(summary_lines)


def arguments(doc: str | None) -> dict[str, str]:
    """What the docstring says about each argument, each on one line.

    Reads an ``Args:`` section, a ``Parameters`` section with a line of dashes, and ``:param name:``
    fields. What is in no such form is left alone.
    """
    lines = _lines(doc)
    texts: dict[str, str] = {}
    for number, line in enumerate(lines):
        if _GOOGLE_HEADER.fullmatch(line):
            entries = _google(lines[number + 1 :])
        elif line.strip() == "Parameters" and _underlined(lines, number):
            entries = _numpy(lines[number + 2 :])
        elif entry := _SPHINX_ENTRY.match(line):
            description_lines = [entry[2], *_deeper(lines[number + 1 :], 0)]
            entries = iter([(entry[1], description_lines)])
        else:
            continue
        for name, text in entries:
            texts.setdefault(name, " ".join(" ".join(text).split()))
    return {name: text for name, text in texts.items() if text}


def _lines(doc: str | None) -> list[str]:
    lines = inspect.cleandoc(doc).split("\n") if isinstance(doc, str) else []
    if lines and _GOOGLE_HEADER.fullmatch(lines[0]) and not any(map(_ANY_HEADER.fullmatch, lines[1:])):
        # With nothing else to measure by, the entries have lost their indentation.
        lines[1:] = ["    " + line for line in lines[1:]]
    return lines


def _starts_section(lines: list[str], number: int) -> bool:
    line = lines[number]
    # "Note:" alone on a line is a section only when something indented follows it.
    indented = number + 1 < len(lines) and lines[number + 1].startswith((" ", "\t"))
    return bool(
        (_ANY_HEADER.fullmatch(line) and indented) or _SPHINX_FIELD.match(line) or _underlined(lines, number)
    )


def _underlined(lines: list[str], number: int) -> bool:
    return number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1]) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _deeper(lines: list[str], indent: int) -> list[str]:
    """The lines up to the first that is not indented more than ``indent``; blank ones are passed over."""
    deeper_lines: list[str] = []
    for line in lines:
        if line.strip() and _indent(line) <= indent:
            break
        deeper_lines.append(line)
    return deeper_lines


def _google(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    block = [line for line in _deeper(lines, 0) if line.strip()]
    if not block:
        return
    indent = _indent(block[0])
    for number, line in enumerate(block):
        entry = _GOOGLE_ENTRY.fullmatch(line.strip())
        if entry and _indent(line) == indent:
            yield entry[1], [entry[2], *_deeper(block[number + 1 :], indent)]


def _numpy(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(lines):
        if _underlined(lines, number):
            return
        entry = _NUMPY_ENTRY.fullmatch(line)
        if entry:
            text = _deeper(lines[number + 1 :], 0)
            for name in entry[1].split(","):
                yield name.strip(), text
