"""Finds the JSON text in an answer that is meant as the value.

Models write the JSON alone, in a Markdown code fence, or somewhere in their prose::

    Here you are: {"topic": "invoice"}

`find` takes the whole text first, then what fences hold, and then what stands between words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from finalturn._core.json_text import decode_written
from finalturn._core.output import reasons
from finalturn._core.output.reasons import Rejection
from finalturn._core.output.scan import Reading, balance, is_scalar, scan, scan_string, skip_space
from finalturn._core.type_guards import is_array, is_dict

_THINK_END = "</think>"


def decode_whole(text: str) -> tuple[str, Any]:
    """The one JSON value that is the whole text, or stands in one fence around it.

    Returns:
        its text, and what it decodes to.

    Raises:
        ValueError: the text is something else.
    """
    text = text.strip()
    inner = unfenced(text)
    return decode_written(text if inner is None else inner)


def find(text: str, roots: frozenset[str]) -> str | Rejection:
    """The JSON text that is meant as the answer, or why there is none.

    Args:
        text: what a model wrote.
        roots: the kinds of value to look for when the text is more than one value.
    """
    # Thinking never starts a value: when all of the text is one, the tag stands in a string of it.
    after = text.rpartition(_THINK_END)[2]
    for part in (text, after):
        try:
            return decode_whole(part)[0]
        except ValueError as error:
            failure = reasons.not_json(error)
    if not after.strip():
        return reasons.EMPTY
    values = fenced_values(after, roots) or bare_values(after, roots)
    if values:
        return _only(values)
    return failure if after.lstrip()[0] in "{[" else reasons.no_value(roots)


def is_empty(value: Any) -> bool:
    """Whether a decoded value says nothing: ``{}``, ``[]``, ``""`` and ``null`` do, 0 and false do not."""
    return value is None or (isinstance(value, (dict, list, str)) and not value)


def _only(texts: Iterable[str]) -> str | Rejection:
    first_text, *other_texts = dict.fromkeys(texts)
    try:
        json, value = decode_written(first_text)
        if all(_same(value, decode_written(other_text)[1]) for other_text in other_texts):
            return json
    except ValueError as error:
        return reasons.not_json(error)
    return reasons.SEVERAL


def _same(value: Any, other: Any) -> bool:
    """JSON equality that tells ``1`` from ``true`` and from ``1.0``."""
    if type(value) is not type(other):
        return False
    if is_dict(value):
        return value.keys() == other.keys() and all(_same(value[key], other[key]) for key in value)
    if is_array(value):
        return len(value) == len(other) and all(map(_same, value, other))
    return bool(value == other)


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
    values: list[str] = []
    token = _TOKEN if roots - {"object", "array"} else _BRACKET
    open_brackets = certain = pos = 0
    while match := token.search(text, pos):
        start, pos = match.span()
        char = text[start]
        if char in "{[":
            read = scan(text, start)
            pos = read.end
            if read.reading is Reading.WHOLE:
                if kind_at(char) in roots and not _is_index(text, start):
                    values.append(text[start:pos])
            elif read.reading is Reading.CUT:
                break
            elif read.keyed:
                end = balance(text, pos, read.depth)
                if end is None:
                    break
                pos = end
            elif open_brackets or read.content:
                certain = certain if open_brackets else len(values)
                open_brackets += read.depth
        elif char in "}]":
            if open_brackets:
                open_brackets -= 1
                if not open_brackets:
                    del values[certain:]
        elif char == '"':
            if "string" in roots and not _is_word(text, start - 1):
                reading, pos = scan_string(text, start)
                if reading is Reading.CUT:
                    break
                if reading is Reading.WHOLE and not _is_word(text, pos):
                    values.append(text[start:pos])
        elif _stands_alone(text, start, pos):
            word = match[0].lstrip(_BEFORE).rstrip(_AFTER)
            if is_scalar(word) and kind_at(word[0]) in roots:
                values.append(word)
    return values


def _is_word(text: str, index: int) -> bool:
    return 0 <= index < len(text) and (text[index].isalnum() or text[index] == "_")


def _is_index(text: str, start: int) -> bool:
    """Whether the bracket continues a name or a call, as in ``rows[0]``: then it is code, not JSON."""
    return text[start] == "[" and start > 0 and (_is_word(text, start - 1) or text[start - 1] == ")")


def _stands_alone(text: str, start: int, end: int) -> bool:
    return text[start - 1 : start].strip() == "" and text[end : end + 1].strip() == ""


def kind_at(char: str) -> str:
    """Which kind of JSON value the text is that begins with ``char``: one of `root.KINDS`."""
    return _FIRST.get(char, "number")


_FIRST = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}
