"""Reads one JSON value at a place in a longer text that is there as a whole, by grammar alone.

Iterative, and linear in what it reads: neither depth nor length can break it. It knows nothing about
what the value means; `finalturn._core.json_text.decode` has the last word on what is found. For text that
comes in pieces, see `finalturn._core.hold.scan`: tests hold the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto
from typing import NamedTuple, cast

_SPACE = re.compile(r"[ \t\n\r]*+")
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null")
# The last group tells a closed string from one that the grammar, or the text, breaks off.
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+("?)')
# The same with control characters as they are, which a model may write into a value, but not into a key.
_WRITTEN = r'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+("?)'
_CONTROL = re.compile(r"[\x00-\x1f]")
_TOKEN = re.compile(rf"{_SPACE.pattern}(?:([{{}}\[\],:])|({_SCALAR.pattern})|({_WRITTEN}))?")
# It matches everywhere: what is no token is an empty one.
_next_token = cast("Callable[[str, int], re.Match[str]]", _TOKEN.match)
_MARK, _STRING_TOKEN, _CLOSING_QUOTE = 1, 3, 4
_LOOSE = re.compile(r'[{\[}\]]|"[^"\\]*+(?:\\.[^"\\]*+)*+("?)', re.DOTALL)

# What the grammar wants next. An item is a value, or the end of the array that was just opened; a member
# is a key, or the end of the object that was.
_VALUE, _ITEM, _KEY, _MEMBER, _COLON, _NEXT = range(6)


class Reading(Enum):
    """How the reading of a value ended."""

    WHOLE = auto()
    """The value is complete."""
    BROKEN = auto()
    """A token does not fit the grammar."""
    CUT = auto()
    """The text ends first."""


class ScannedValue(NamedTuple):
    """What was read.

    Attributes:
        reading: how it ended.
        end: after the value, or where the token starts that breaks it or is cut.
        depth: how many brackets are open there.
        content: whether more than opening brackets was read.
        keyed: whether a key was met in any object: it was meant as JSON.
        in_string: whether the text ends inside a string that is no key.
    """

    reading: Reading
    end: int
    depth: int = 0
    content: bool = True
    keyed: bool = False
    in_string: bool = False


def scan(text: str, start: int) -> ScannedValue:
    """Read the JSON value that starts at ``start``, after white space."""
    stack: list[str] = []
    expected = _VALUE
    content = keyed = False
    pos = start
    while True:
        token = _next_token(text, pos)
        kind = token.lastindex
        pos = token.end()
        fits, closed = True, kind != _STRING_TOKEN or bool(token[_CLOSING_QUOTE])
        if kind is None:
            fits, closed, kind = pos == len(text), False, 0
        elif kind == _MARK:
            mark = token[_MARK]
            if expected <= _ITEM and mark in "{[":
                stack.append("}" if mark == "{" else "]")
                expected = _MEMBER if mark == "{" else _ITEM
            elif expected == _NEXT and mark == ",":
                expected = _KEY if stack[-1] == "}" else _VALUE
            elif expected == _COLON and mark == ":":
                expected = _VALUE
            elif expected in (_NEXT, _ITEM, _MEMBER) and mark == stack[-1]:
                stack.pop()
                content, expected = True, _NEXT
            else:
                fits = False
        elif expected <= _ITEM:
            content, expected = content or closed, _NEXT
        elif kind == _STRING_TOKEN and expected <= _MEMBER and not _CONTROL.search(token[_STRING_TOKEN]):
            keyed, content, expected = True, True, _COLON
        else:
            fits = False
        if not fits or not closed:
            cut = fits and pos == len(text)
            at = token.start(kind) if kind else pos
            in_string = cut and kind == _STRING_TOKEN and expected == _NEXT
            reading = Reading.CUT if cut else Reading.BROKEN
            return ScannedValue(reading, at, len(stack), content, keyed, in_string)
        if expected == _NEXT and not stack:
            return ScannedValue(Reading.WHOLE, pos)


def skip_space(text: str, start: int) -> int:
    """The place after the JSON white space at ``start``."""
    space = _SPACE.match(text, start)
    return space.end() if space else start


def scan_string(text: str, start: int) -> tuple[Reading, int]:
    """Read the string whose quote stands at ``start``: how that ended, and where."""
    string = _STRING.match(text, start)
    if string is None:
        return Reading.BROKEN, start
    if string[1]:
        return Reading.WHOLE, string.end()
    return (Reading.CUT if string.end() == len(text) else Reading.BROKEN), string.end()


def is_scalar(word: str) -> bool:
    """Whether a word is a JSON number, ``true``, ``false`` or ``null``."""
    return _SCALAR.fullmatch(word) is not None


def balance(text: str, start: int, depth: int) -> int | None:
    """Where ``depth`` open brackets of a broken value have closed again; ``None`` when they never do.

    Any bracket closes any other, and a string may hold anything: this is for skipping, not for reading.
    """
    pos = start
    while match := _LOOSE.search(text, pos):
        pos = match.end()
        token = match[0]
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
            if not depth:
                return pos
        elif not match[1]:
            return None
    return None
