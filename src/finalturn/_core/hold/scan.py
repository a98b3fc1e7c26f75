"""Reads one JSON value that comes in pieces, by grammar alone.

`finalturn._core.output.scan` reads the same grammar of a text that is there as a whole, and far faster: a
regular expression takes a token at a time. Here a token may be cut anywhere, nothing is read twice, and what
the hold must know of arrays and objects inside the value is noted on the way. Tests hold the two against
each other.

Strict (RFC 8259) but for one thing: the value of a member or an item may be a string with raw control
characters, such as a line break that should have been escaped, because validation takes it. Iterative, and
linear in the length of the text however it is cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from finalturn._core.json_text import decode

__all__ = ["IncrementalScan", "Inner", "starts"]

Outcome = Literal["open", "closed", "broken"]
_Mode = Literal[
    "value", "first item", "next item", "first key", "key", "colon", "next", "string", "escape", "atom"
]

_SPACE: Final = re.compile(r"[ \t\r\n]+")
_SPECIAL: Final = re.compile(r'["\\\x00-\x1f]')
_DIGITS: Final = "0123456789"
_HEX: Final = frozenset("0123456789abcdefABCDEF")


def _atoms() -> dict[str, dict[str, str]]:
    exponent = dict.fromkeys("eE", "e")
    table: dict[str, dict[str, str]] = {
        "": {"-": "-", "0": "0"} | dict.fromkeys("123456789", "1"),
        "-": {"0": "0"} | dict.fromkeys("123456789", "1"),
        "0": {".": "."} | exponent,
        "1": dict.fromkeys(_DIGITS, "1") | {".": "."} | exponent,
        ".": dict.fromkeys(_DIGITS, ".1"),
        ".1": dict.fromkeys(_DIGITS, ".1") | exponent,
        "e": dict.fromkeys("+-", "e+") | dict.fromkeys(_DIGITS, "e1"),
        "e+": dict.fromkeys(_DIGITS, "e1"),
        "e1": dict.fromkeys(_DIGITS, "e1"),
    }
    for word in ("true", "false", "null"):
        for length, letter in enumerate(word):
            table.setdefault(word[:length], {})[letter] = word[: length + 1]
        table[word] = {}
    return table


# Numbers and the three words: what has been read so far, and where the next character leads.
_ATOMS: Final[Mapping[str, Mapping[str, str]]] = _atoms()
_WHOLE: Final = frozenset({"0", "1", ".1", "e1", "true", "false", "null"})

_STARTS: Final[Mapping[str, str]] = {
    "object": "{",
    "array": "[",
    "string": '"',
    "number": "-" + _DIGITS,
    "boolean": "tf",
    "null": "n",
}


def starts(roots: frozenset[str]) -> frozenset[str]:
    """The characters that a value of one of these JSON kinds can begin with."""
    return frozenset(character for root in roots for character in _STARTS[root])


class Inner:
    """An array or an object inside the value.

    Attributes:
        bracket: ``{`` or ``[``.
        start: where it begins, counted from the beginning of the value.
        end: just behind it; 0 while it is open.
        has_wanted_key: it is an object, and one of the wanted keys is its own.
        keyed: it is an object with a key, or an array that holds a string, an array or an object: prose
            hardly has that by chance.
    """

    __slots__ = ("bracket", "closed_before", "end", "has_wanted_key", "keyed", "start")

    def __init__(self, bracket: str, start: int, closed_before: int) -> None:
        self.bracket = bracket
        self.start = start
        self.end = 0
        self.has_wanted_key = False
        self.keyed = False
        # How many inner values had closed before it.
        self.closed_before = closed_before


class IncrementalScan:
    """Reads one JSON value.

    Attributes:
        outcome: ``open``; ``closed`` when the value is complete; ``broken`` when no text that follows
            could complete it.
        has_wanted_key: a wanted key of the root object has been read. From then on slips (a raw control
            character in a key, an escape that JSON does not have, a comma before a closing bracket) no
            longer break the grammar.
        opened: the arrays and objects that are open, the outermost first; only those that had opened when
            a wanted key was found.
        closed: those that have closed, may be a root themselves, and are part of no other such one.
        keyed: the value is an object, or a `keyed <Inner>` array.
    """

    __slots__ = (
        "_atom",
        "_brackets",
        "_hex",
        "_inside",
        "_is_key",
        "_key",
        "_mode",
        "_read",
        "_wanted_keys",
        "closed",
        "has_wanted_key",
        "keyed",
        "opened",
        "outcome",
    )

    def __init__(self, wanted_keys: frozenset[str], brackets: frozenset[str]) -> None:
        """Take the keys to look for, and the brackets that a root can open with."""
        self.outcome: Outcome = "open"
        self.has_wanted_key = False
        self.keyed = False
        self.opened: list[Inner] = []
        self.closed: list[Inner] = []
        self._wanted_keys = wanted_keys
        self._brackets = brackets
        self._mode: _Mode = "value"
        self._read = 0
        self._atom = ""
        self._hex = 0
        # The brackets that have opened since a wanted key was found. Nothing else is kept of them.
        self._inside = bytearray()
        self._is_key = False
        self._key: list[str] | None = None

    def braces_from(self, index: int) -> int:
        """How many objects are open, counted from one of `opened`."""
        return sum(inner.bracket == "{" for inner in self.opened[index:]) + self._inside.count(b"{")

    @property
    def in_key(self) -> bool:
        """Whether reading has stopped inside a key."""
        return self._is_key and self._mode == "string"

    def give_up(self, count: int) -> None:
        """Take the first ``count`` open arrays and objects for prose: the next one is the root."""
        before = self.opened[count].closed_before
        del self.opened[:count], self.closed[:before]
        for inner in self.opened:
            inner.closed_before -= before
        self.has_wanted_key = self.opened[0].has_wanted_key
        self.keyed = self.opened[0].keyed

    def feed(self, text: str, start: int, end: int) -> int:
        """Read ``text[start:end]``; return where reading stopped.

        That is ``end``, or just behind the value, or at the character that breaks it.
        """
        at = start
        while at < end and self.outcome == "open":
            mode = self._mode
            if mode == "string":
                at = self._in_string(text, at, end)
            elif mode == "escape":
                at = self._in_escape(text[at], at)
            elif mode == "atom":
                at = self._in_atom(text[at], at)
            elif space := _SPACE.match(text, at, end):
                at = space.end()
            elif self._token(text[at], self._read + at - start):
                at += 1
            else:
                self.outcome = "broken"
        self._read += at - start
        return at

    def _token(self, character: str, at: int) -> bool:
        """Take a character between strings and atoms; False when the grammar has no place for it."""
        mode = self._mode
        if mode == "colon":
            self._mode = "value"
            return character == ":"
        if mode == "next":
            if character == ",":
                self._mode = "key" if self._innermost() == "{" else "next item"
                return True
            return self._close(character, at)
        if character == "]" and (mode == "first item" or (mode == "next item" and self.has_wanted_key)):
            return self._close(character, at)
        if mode == "key" or mode == "first key":
            if character == '"':
                self._mode = "string"
                self._is_key = True
                if not self.has_wanted_key:
                    self.opened[-1].keyed = True
                    self._key = []
                return True
            return (mode == "first key" or self.has_wanted_key) and self._close(character, at)
        return self._value(character, at)

    def _value(self, character: str, at: int) -> bool:
        if character in _ATOMS[""]:
            self._atom = _ATOMS[""][character]
            self._mode = "atom"
            return True
        if character not in '"{[':
            return False
        if self.opened and not self.has_wanted_key:
            self.opened[-1].keyed = True
        if character == '"':
            self._mode = "string"
            return True
        self._mode = "first key" if character == "{" else "first item"
        if self.has_wanted_key:
            self._inside.append(ord(character))
        else:
            self.opened.append(Inner(character, at, len(self.closed)))
        return True

    def _innermost(self) -> str:
        return chr(self._inside[-1]) if self._inside else self.opened[-1].bracket

    def _close(self, character: str, at: int) -> bool:
        if character != ("}" if self._innermost() == "{" else "]"):
            return False
        if self._inside:
            self._inside.pop()
            self._mode = "next"
            return True
        inner = self.opened.pop()
        self.keyed = inner.keyed or inner.bracket == "{"
        if self.opened and not self.has_wanted_key and inner.bracket in self._brackets:
            del self.closed[inner.closed_before :]
            inner.end = at + 1
            self.closed.append(inner)
        self._after_value()
        return True

    def _after_value(self) -> None:
        if self.opened:
            self._mode = "next"
        else:
            self.outcome = "closed"

    def _in_atom(self, character: str, at: int) -> int:
        longer = _ATOMS[self._atom].get(character)
        if longer is not None:
            self._atom = longer
            return at + 1
        if self._atom in _WHOLE:
            self._after_value()
        else:
            self.outcome = "broken"
        return at

    def _in_string(self, text: str, at: int, end: int) -> int:
        special = _SPECIAL.search(text, at, end)
        stop = special.end() if special else end
        if self._key is not None:
            self._key.append(text[at:stop])
        if special is None:
            return end
        character = special.group()
        if character == '"':
            self._end_string()
        elif character == "\\":
            self._mode = "escape"
        elif self._is_key and not self.has_wanted_key:
            self.outcome = "broken"
            return stop - 1
        return stop

    def _in_escape(self, character: str, at: int) -> int:
        legal = character in _HEX if self._hex else character in '"\\/bfnrtu'
        if not legal:
            if not self.has_wanted_key:
                self.outcome = "broken"
            self._hex = 0
            self._mode = "string"
            return at
        if self._key is not None:
            self._key.append(character)
        if self._hex:
            self._hex -= 1
        elif character == "u":
            self._hex = 4
        if not self._hex:
            self._mode = "string"
        return at + 1

    def _end_string(self) -> None:
        if not self._is_key:
            self._after_value()
            return
        self._is_key = False
        self._mode = "colon"
        if self._key is not None:
            if _unescaped("".join(self._key)) in self._wanted_keys:
                self.opened[-1].has_wanted_key = True
                self.has_wanted_key = self.opened[0].has_wanted_key
            self._key = None


def _unescaped(key: str) -> str | None:
    """The key that this text spells, its closing quote included; None when it spells half a pair."""
    if "\\" not in key:
        return key[:-1]
    try:
        return str(decode('"' + key))
    except ValueError:
        return None
