"""JSON in Markdown code fences: three backticks or more, any indent, no info word or one like ``json``."""

from __future__ import annotations

import re

from finalturn._core.output.kinds import kind_at
from finalturn._core.output.scan import Reading, scan, skip_space

# Possessive throughout: a long line that is no fence is read once.
_OPEN = re.compile(r"^[ \t]*+(`{3,}+)[ \t]*+([^\s`]*+)[^\n`]*+\n", re.MULTILINE)
_CLOSE = re.compile(r"^[ \t]*+(`{3,}+)[ \t\r]*+$", re.MULTILINE)
_CLOSE_HERE = re.compile(r"(`{3,}+)[ \t\r]*+$", re.MULTILINE)


def unfenced(text: str) -> str | None:
    """What one JSON fence holds, when the text is nothing else; ``None`` when it is not."""
    opening = _OPEN.match(text)
    if opening is None or not _says_json(opening[2]):
        return None
    inner = text[opening.end() :]
    body = inner.rstrip("`")
    if len(inner) - len(body) < len(opening[1]):
        return None
    return body.strip()


def fenced_values(text: str, roots: frozenset[str]) -> list[str]:
    """The JSON values of the given kinds that each fill a closed fence.

    A value is read before its fence's end is looked for, so backticks in strings close nothing. A fence
    that holds something else ends at its closing line; one without an end holds the rest of the text.
    """
    values: list[str] = []
    pos = 0
    while opening := _OPEN.search(text, pos):
        pos = opening.end()
        if _says_json(opening[2]):
            start = skip_space(text, pos)
            read = scan(text, start)
            closing = _CLOSE_HERE.match(text, skip_space(text, read.end))
            if read.reading is Reading.WHOLE and closing and len(closing[1]) >= len(opening[1]):
                if kind_at(text[start]) in roots:
                    values.append(text[start : read.end])
                pos = closing.end()
                continue
        end = _end(text, pos, len(opening[1]))
        if end is None:
            break
        pos = end
    return values


def _end(text: str, pos: int, ticks: int) -> int | None:
    while closing := _CLOSE.search(text, pos):
        pos = closing.end()
        if len(closing[1]) >= ticks:
            return pos
    return None


def _says_json(word: str) -> bool:
    return not word or word.lower().startswith("json")
