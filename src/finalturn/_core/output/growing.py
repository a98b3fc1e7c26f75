"""Reads the object that a model writes as it grows: the text in pieces, in; what may be shown of it, out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from finalturn._core import json_text
from finalturn._core.output.find import is_empty
from finalturn._core.output.output import Output
from finalturn._core.output.partial import NOTHING, PartialSchema, extends
from finalturn._core.output.scan import Reading, scan
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
_ATOM_RUN: Final = re.compile(r"[-+.0-9A-Za-z]++\Z")


class _Begun(NamedTuple):
    """A value as far as it has come.

    Attributes:
        value: that, decoded.
        growing: how many values, from the root to the last that has begun, are not complete.
    """

    value: Any
    growing: int


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
        while True:
            if self._start is None:
                self._start = self._find(text)
            if self._start is None:
                return NOTHING
            try:
                begun, self._over = _begun(text[self._start :])
            except ValueError:
                if self._last is not NOTHING:
                    self._over = True
                    return NOTHING
                # It was prose.
                self._passed, self._start = self._start + 1, None
            else:
                return self._shown(*begun)

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

    def _shown(self, value: Any, growing: int) -> Any:
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


def _begun(text: str) -> tuple[_Begun, bool]:
    """The value that a text begins with, and whether all of it is there.

    Raises:
        ValueError: it begins with none.
    """
    cut_escape = _CUT_ESCAPE.search(text)
    whole_escapes = text[: cut_escape.start(1)] if cut_escape else text
    read = scan(whole_escapes, 0)
    if read.reading is Reading.WHOLE:
        return _Begun(json_text.decode_written(whole_escapes[: read.end])[1], 0), True
    if read.in_string:
        return _Begun(json_text.decode_cut(whole_escapes + '"'), read.depth + 1), False
    run = _ATOM_RUN.search(text)
    if run and text[read.end : read.end + 1] != '"':
        if not _CUT_ATOM.fullmatch(run[0]):
            raise ValueError("is no number")
        text = text[: run.start()]
        read = scan(text, 0)
    if read.reading is Reading.BROKEN:
        raise ValueError("is broken")
    return _Begun(json_text.decode_cut(text[: read.end]), read.depth), False
