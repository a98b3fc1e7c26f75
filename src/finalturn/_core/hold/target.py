"""The answer that a hold looks for: what it can begin with, its keys, and what validates it."""

from __future__ import annotations

import re
from typing import Any, Final, Protocol

from finalturn._core.hold.scan import starts
from finalturn._core.output import Answer, Rejection

__all__ = ["HoldGate", "Target"]

_SPACE: Final = r"[ \t\r\n]*"
# What may stand behind a bracket, or may still come: nearly every bracket of prose is told from JSON by it.
# A number, a word or a string in brackets is an index behind a name or another bracket, as in `rows[0]["x"]`;
# but some scripts have no space that could stand before an array of strings.
_BEHIND: Final = {
    "{": rf'\{{(?={_SPACE}(?:["}}]|\Z))',
    "[": r"(?:(?<![\w)\]])\[|\[(?=[\[{\r\n]|\Z)|(?<![A-Za-z0-9_)\]])\[(?=[\" \t]))"
    rf"(?={_SPACE}(?:[\[{{\"\]tfn0-9-]|\Z))",
}


class HoldGate(Protocol):
    """What the hold must know of a response_format. `Output` is one."""

    @property
    def roots(self) -> frozenset[str]:
        """The JSON kinds that the root may have."""
        ...

    @property
    def required(self) -> frozenset[str]:
        """The root's required keys."""
        ...

    @property
    def declared(self) -> frozenset[str]:
        """Every key of the root that validation takes."""
        ...

    def reuse(self, text: str, /) -> Answer[Any] | Rejection:
        """Judge a text: is it, as a whole, an answer?"""
        ...


class Target:
    """The answer that a hold looks for.

    Attributes:
        keys: the top-level keys that tell a failed attempt at the answer.
        brackets: the brackets that a root can open with.
        scalars: the characters that any other root can begin with.
        candidate: matches each bracket of a text with which the answer may begin.
    """

    __slots__ = ("_gate", "brackets", "candidate", "keys", "scalars")

    def __init__(self, gate: HoldGate) -> None:
        self._gate = gate
        self.keys = gate.required or gate.declared
        opening_characters = starts(gate.roots)
        self.brackets = opening_characters & _BEHIND.keys()
        self.scalars = opening_characters - self.brackets
        self.candidate = re.compile("|".join(_BEHIND[bracket] for bracket in sorted(self.brackets)) or "(?!)")

    def is_answer(self, text: str) -> bool:
        """Whether a complete value validates."""
        return isinstance(self._gate.reuse(text), Answer)
