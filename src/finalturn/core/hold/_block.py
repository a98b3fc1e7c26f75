"""What bare blocks and fences have in common: held text, and how it is settled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final, Literal, Protocol

from finalturn.core.hold._scan import starts
from finalturn.core.output import Answer, Rejection

__all__ = ["LIMIT", "LINE_ENDS", "Block", "HoldGate", "Target"]

# The most that is held of one undecided block, in characters.
LIMIT: Final = 256 * 1024

LINE_ENDS: Final = frozenset("\r\n")


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
    """What a hold looks for.

    Attributes:
        gate: what judges a complete value.
        keys: the top-level keys that tell a failed attempt at the answer.
        starts: the characters that a root can begin with.
        brackets: those of them that open a bare block.
    """

    __slots__ = ("brackets", "gate", "keys", "starts")

    def __init__(self, gate: HoldGate) -> None:
        self.gate = gate
        self.keys = gate.required or gate.declared
        self.starts = starts(gate.roots)
        self.brackets = self.starts & {"{", "["}


class Block(ABC):
    """A block that is being read.

    Attributes:
        verdict: ``open``, ``hidden`` or ``released``.
        shown: once settled, the text to show; empty for a hidden block.
        tail: once settled, the blank space that was read behind ``shown``, or behind what is hidden.
        fresh: once settled, whether what follows stands at the start of a line.
        opening: the released text opens a fence of another language, with so many backticks.
        fence: the released text leaves a fence of so many backticks open; 0 when it closes one; None
            when it does neither.
    """

    __slots__ = (
        "_doomed",
        "_held",
        "_room",
        "_target",
        "fence",
        "fresh",
        "opening",
        "shown",
        "tail",
        "verdict",
    )

    def __init__(self, target: Target) -> None:
        self.verdict: Literal["open", "hidden", "released"] = "open"
        self.shown = ""
        self.tail = ""
        self.fresh = True
        self.opening = 0
        self.fence: int | None = None
        self._target = target
        self._doomed = False
        # All of the block's text; only its blank end once the block is sure to be hidden.
        self._held: list[str] = []
        self._room = LIMIT

    def feed(self, text: str, start: int) -> int:
        """Read on from ``start``; return where the block, or the text, ends."""
        at = start
        while self.verdict == "open" and at < len(text):
            end = len(text) if self._doomed else min(len(text), at + self._room)
            at = self._read(text, at, end)
            if self.verdict == "open" and self._room == 0 and not self._doomed:
                self._cut()
        return at

    def finish(self) -> None:
        """The text is over: settle."""
        if not self._doomed:
            self._cut()
        if self.verdict == "open":
            self._hide()

    @abstractmethod
    def _read(self, text: str, start: int, end: int) -> int:
        """Read some of ``text[start:end]``; return where reading stopped."""

    @abstractmethod
    def _cut(self) -> None:
        """Stop holding an undecided block: release it, or doom it."""

    def _keep(self, piece: str) -> None:
        if not self._doomed:
            self._held.append(piece)
            self._room -= len(piece)
            return
        body = piece.rstrip()
        if body:
            self._held.clear()
        self._held.append(piece[len(body) :])

    def _doom(self) -> None:
        """Be sure to hide the block, wherever it will end."""
        if not self._doomed:
            self._doomed = True
            text = "".join(self._held)
            self._held = [text[len(text.rstrip()) :]]

    def _hide(self) -> None:
        self._doom()
        self.verdict = "hidden"
        self.tail = "".join(self._held)

    def _release(self, *, closed: bool = False) -> None:
        text = "".join(self._held)
        self.shown = text.rstrip()
        self.tail = text[len(self.shown) :]
        self.fresh = closed or not LINE_ENDS.isdisjoint(self.tail)
        self.verdict = "released"

    def _passes(self, text: str) -> bool:
        return isinstance(self._target.gate.reuse(text), Answer)
