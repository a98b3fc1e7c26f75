"""JSON values that stand in prose, without a fence."""

from __future__ import annotations

import re

from finalturn._core.output.kinds import kind_at
from finalturn._core.output.scan import Reading, balance, is_scalar, scan, scan_string

_BRACKET = re.compile(r"[{\[}\]]")
_TOKEN = re.compile(r'[{\[}\]"]|[^\s{}\[\]"]++')
# What may touch a number or a literal in a sentence, or in Markdown, without being part of it.
_BEFORE, _AFTER = "(*_`", ")*_`.,;:!?"


def bare_values(text: str, roots: frozenset[str]) -> list[str]:
    """The complete JSON values of the given kinds, in order, none of them part of another value.

    What a bracket opens decides how the text goes on:

    - a whole value is taken or, when it is of another kind, passed over;
    - one that the end of the text cuts ends the search;
    - one that breaks off after a key was meant as JSON: everything until its brackets have closed
      belongs to it, and when they never do, the search ends;
    - one that breaks off after an item (``[1, 2)``) is prose unless its brackets close later: then what
      was found in between belonged to it;
    - any other (``{name}``, ``[link]``) is prose.
    """
    found: list[str] = []
    token = _TOKEN if roots - {"object", "array"} else _BRACKET
    open_brackets = kept = pos = 0
    while match := token.search(text, pos):
        start, pos = match.span()
        char = text[start]
        if char in "{[":
            read = scan(text, start)
            pos = read.end
            if read.reading is Reading.WHOLE:
                if kind_at(char) in roots and not _is_index(text, start):
                    found.append(text[start:pos])
            elif read.reading is Reading.CUT:
                break
            elif read.keyed:
                end = balance(text, pos, read.depth)
                if end is None:
                    break
                pos = end
            elif open_brackets or read.content:
                kept = kept if open_brackets else len(found)
                open_brackets += read.depth
        elif char in "}]":
            if open_brackets:
                open_brackets -= 1
                if not open_brackets:
                    del found[kept:]
        elif char == '"':
            if "string" in roots and not _is_word(text, start - 1):
                reading, pos = scan_string(text, start)
                if reading is Reading.CUT:
                    break
                if reading is Reading.WHOLE and not _is_word(text, pos):
                    found.append(text[start:pos])
        elif _stands_alone(text, start, pos):
            word = match[0].lstrip(_BEFORE).rstrip(_AFTER)
            if is_scalar(word) and kind_at(word[0]) in roots:
                found.append(word)
    return found


def _is_word(text: str, index: int) -> bool:
    return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "_")


def _is_index(text: str, start: int) -> bool:
    """Whether the bracket continues a name or a call, as in ``rows[0]``: then it is code, not JSON."""
    return text[start] == "[" and start > 0 and (_is_word(text, start - 1) or text[start - 1] == ")")


def _stands_alone(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].strip() == "" and text[end : end + 1].strip() == ""
