"""Reads one JSON value at a place in a longer text, by grammar alone.

Iterative, and linear in what it reads: neither depth nor length can break it. It knows nothing about
what the value means; `finalturn._core.json_text.decode` has the last word on what is found.
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


class Scan(NamedTuple):
    """What was read.

    Attributes:
        reading: how it ended.
        end: after the value, or where the token starts that breaks it or is cut.
        depth: how many brackets are open there.
        content: whether more than opening brackets was read.
        keyed: whether a key was met in any object: it was meant as JSON.
    """

    reading: Reading
    end: int
    depth: int = 0
    content: bool = True
    keyed: bool = False


def scan(text: str, start: int) -> Scan:
    """Read the JSON value that starts at ``start``, after white space."""
    stack: list[str] = []
    want = _VALUE
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
            if want <= _ITEM and mark in "{[":
                stack.append("}" if mark == "{" else "]")
                want = _MEMBER if mark == "{" else _ITEM
            elif want == _NEXT and mark == ",":
                want = _KEY if stack[-1] == "}" else _VALUE
            elif want == _COLON and mark == ":":
                want = _VALUE
            elif want in (_NEXT, _ITEM, _MEMBER) and mark == stack[-1]:
                stack.pop()
                content, want = True, _NEXT
            else:
                fits = False
        elif want <= _ITEM:
            content, want = content or closed, _NEXT
        elif kind == _STRING_TOKEN and want <= _MEMBER and not _CONTROL.search(token[_STRING_TOKEN]):
            keyed, content, want = True, True, _COLON
        else:
            fits = False
        if not fits or not closed:
            cut = fits and pos == len(text)
            at = token.start(kind) if kind else pos
            return Scan(Reading.CUT if cut else Reading.BROKEN, at, len(stack), content, keyed)
        if want == _NEXT and not stack:
            return Scan(Reading.WHOLE, pos)


def skip_space(text: str, start: int) -> int:
    """The place after the JSON white space at ``start``."""
    found = _SPACE.match(text, start)
    return found.end() if found else start


def scan_string(text: str, start: int) -> tuple[Reading, int]:
    """Read the string whose quote stands at ``start``: how that ended, and where."""
    found = _STRING.match(text, start)
    if found is None:
        return Reading.BROKEN, start
    if found[1]:
        return Reading.WHOLE, found.end()
    return (Reading.CUT if found.end() == len(text) else Reading.BROKEN), found.end()


def is_scalar(word: str) -> bool:
    """Whether a word is a JSON number, ``true``, ``false`` or ``null``."""
    return _SCALAR.fullmatch(word) is not None


def balance(text: str, start: int, depth: int) -> int | None:
    """Where ``depth`` open brackets of a broken value have closed again; ``None`` when they never do.

    Any bracket closes any other, and a string may hold anything: this is for skipping, not for reading.
    """
    pos = start
    while found := _LOOSE.search(text, pos):
        pos = found.end()
        token = found[0]
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
            if not depth:
                return pos
        elif not found[1]:
            return None
    return None
