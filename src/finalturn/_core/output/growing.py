"""Reads the object that a model writes as it grows: the text in pieces, in; what may be shown of it, out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import ascii_letters, digits
from typing import Any, Final

from finalturn._core import json_text
from finalturn._core.output.find import is_empty
from finalturn._core.output.output import Output
from finalturn._core.output.partial import NOTHING, PartialSchema, extends
from finalturn._core.output.scan import Reading, ScannedValue, scan
from finalturn._core.output.wrapped import around
from finalturn._core.type_guards import is_dict

__all__ = ["GrowingObject"]

_SHARE: Final = 8
"""The text is read again once it is longer by this part of it, so that all readings together are as long as
nine texts, however it comes."""

_THINK_END: Final = "</think>"
_THINK: Final = re.compile(r"\s*+<think>")
_FENCE: Final = r"[^\S\n]*+`{3,}+[^\S\n]*+(?:json[^\n`]*+)?\n\s*+"
_FIRST: Final = {"object": r"\{", "array": r"\[", "string": '"'}
# In prose, a bracket may be anything.
_FIRST_IN_PROSE: Final = {"object": r'\{(?=\s*+")', "array": r'(?<![\w)\]])\[(?=\s*+[\[{"])'}

# An escape that is not complete, or one half of a pair.
_CUT_ESCAPE: Final = re.compile(
    r"(?<!\\)(?:\\\\)*+((?:\\u[dD][89abAB][0-9a-fA-F]{2})?+(?:\\(?:u[0-9a-fA-F]{0,3})?)?)\Z"
)
# A number or a word that may go on.
_CUT_ATOM: Final = re.compile(
    r"-?[0-9]*+(?:\.[0-9]*+)?(?:[eE][+-]?[0-9]*+)?"
    r"|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?"
)
_OF_ATOMS: Final = f"-+.{ascii_letters}{digits}"


class GrowingObject:
    """The answer of one model call, as it comes.

    Args:
        output: what the call was asked for.
    """

    def __init__(self, output: Output[Any]) -> None:
        self._around = around(output)
        self._schema = PartialSchema(output.schema)
        self._inner = None if self._around is None else PartialSchema(self._around[1].schema)
        first, in_prose = _either(_FIRST, output.roots), _either(_FIRST_IN_PROSE, output.roots)
        self._alone = re.compile(rf"\s*+(?:{_FENCE})?+(?={first})", re.IGNORECASE)
        self._in_text = re.compile(rf"^{_FENCE}(?={first})|(?={in_prose})", re.MULTILINE | re.IGNORECASE)
        self._pieces: list[str] = []
        self._length = 0
        self._next = 1
        self._start: int | None = None
        self._passed = 0
        self._over = False
        self._last: Any = NOTHING

    def feed(self, text: str) -> tuple[Any, ...]:
        """Take a piece of the text.

        Returns:
            the object as far as it is known, where more of it is known than before; else nothing. It is
            always what was returned before it, with more of it.
        """
        if self._over:
            return ()
        self._pieces.append(text)
        self._length += len(text)
        if self._length < self._next:
            return ()
        self._next = self._length + max(1, self._length // _SHARE)
        whole = "".join(self._pieces)
        self._pieces = [whole]
        shown = self._read(whole)
        if shown is NOTHING or is_empty(shown):
            return ()
        if self._last is not NOTHING and (shown == self._last or not extends(self._last, shown)):
            return ()
        self._last = shown
        return (shown,)

    def _read(self, text: str) -> Any:
        """What may be shown of the text, which is read once, however much in it looks like the answer."""
        cut = _CUT_ESCAPE.search(text)
        text = text[: cut.start(1)] if cut else text
        atom = len(text.rstrip(_OF_ATOMS))
        while True:
            if self._start is None:
                self._start = self._find(text)
            if self._start is None:
                return NOTHING
            begun = _begun(text, self._start, atom)
            if begun.reading is not Reading.BROKEN:
                self._over = begun.reading is Reading.WHOLE
                return self._shown(text[self._start : begun.end], begun)
            # One with a key was meant as JSON; any other was prose.
            self._over = begun.keyed or self._last is not NOTHING
            self._passed, self._start = begun.end, None
            if self._over:
                return NOTHING

    def _find(self, text: str) -> int | None:
        """Where the answer begins; ``None`` while that is not known."""
        # What is thought aloud may look like the answer.
        thought = text.rfind(_THINK_END)
        if thought < 0 and _THINK.match(text):
            return None
        start = 0 if thought < 0 else thought + len(_THINK_END)
        begins = None if self._passed > start else self._alone.match(text, start)
        begins = begins or self._in_text.search(text, max(start, self._passed))
        return None if begins is None else begins.end()

    def _shown(self, text: str, begun: ScannedValue) -> Any:
        try:
            if begun.reading is Reading.WHOLE:
                value = json_text.decode_written(text)[1]
            else:
                value = json_text.decode_cut(f'{text}"' if begun.in_string else text)
        except ValueError:
            self._over = True
            return NOTHING
        growing = begun.depth + begun.in_string
        if self._around is None or self._inner is None:
            return self._schema.shown(value, growing)
        key = self._around[0]
        if is_dict(value) and (key in value or not value):
            shown = self._schema.shown(value, growing)
            return shown.get(key, NOTHING) if is_dict(shown) else NOTHING
        # A server that has not looked at the schema gives the value itself.
        return self._inner.shown(value, growing)


def _either(patterns: Mapping[str, str], roots: frozenset[str]) -> str:
    return "|".join(patterns[root] for root in sorted(roots & patterns.keys())) or "(?!)"


def _begun(text: str, start: int, atom: int) -> ScannedValue:
    """The value that begins at a place of the text, as far as it is sure.

    Args:
        text: what has come so far.
        start: where the value begins.
        atom: where the number or the word begins that the text ends with.
    """
    read = scan(text, start)
    if read.reading is not Reading.WHOLE and read.end >= atom and _CUT_ATOM.fullmatch(text, atom):
        read = scan(text[:atom], start)
    # Of a string that is not complete, what there is may be shown.
    return read._replace(end=len(text)) if read.in_string else read
