"""Reads one JSON value at a place in a longer text, by grammar alone.

Iterative, and linear in what it reads: neither depth nor length can break it. It knows nothing about
what the value means; `finalturn.core.json_text.decode` has the last word on what is found.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*+")
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null")
# The last group tells a closed string from one that the grammar, or the text, breaks off.
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+("?)')
_LOOSE = re.compile(r'[{\[}\]]|"[^"\\]*+(?:\\.[^"\\]*+)*+("?)', re.DOTALL)


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


class _Want(Enum):
    VALUE = auto()
    ITEM = auto()
    """A value, or the end of the array that was just opened."""
    KEY = auto()
    MEMBER = auto()
    """A key, or the end of the object that was just opened."""
    COLON = auto()
    NEXT = auto()
    """A comma, or the end of what is open."""


def scan(text: str, start: int) -> Scan:
    """Read the JSON value that starts at ``start``, after white space."""
    stack: list[str] = []
    want = _Want.VALUE
    content = keyed = False
    pos = start
    while True:
        pos = skip_space(text, pos)
        if pos == len(text):
            return Scan(Reading.CUT, pos, len(stack), content, keyed)
        char = text[pos]
        reading, end = Reading.WHOLE, pos + 1
        if want is _Want.NEXT and char == ",":
            want = _Want.KEY if stack[-1] == "}" else _Want.VALUE
        elif want is _Want.COLON and char == ":":
            want = _Want.VALUE
        elif want in (_Want.VALUE, _Want.ITEM) and char in "{[":
            stack.append("}" if char == "{" else "]")
            want = _Want.MEMBER if char == "{" else _Want.ITEM
        elif want in (_Want.KEY, _Want.MEMBER) and char == '"':
            reading, end = scan_string(text, pos)
            keyed = content = True
            want = _Want.COLON
        elif want in (_Want.NEXT, _Want.ITEM, _Want.MEMBER) and char == stack[-1]:
            stack.pop()
            content = True
            want = _Want.NEXT
        elif want in (_Want.VALUE, _Want.ITEM):
            reading, end = scan_string(text, pos) if char == '"' else _scan_scalar(text, pos)
            content = content or reading is Reading.WHOLE
            want = _Want.NEXT
        else:
            reading = Reading.BROKEN
        if reading is not Reading.WHOLE:
            return Scan(reading, pos, len(stack), content, keyed)
        pos = end
        if want is _Want.NEXT and not stack:
            return Scan(reading, pos)


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


def _scan_scalar(text: str, start: int) -> tuple[Reading, int]:
    found = _SCALAR.match(text, start)
    return (Reading.WHOLE, found.end()) if found else (Reading.BROKEN, start)


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
