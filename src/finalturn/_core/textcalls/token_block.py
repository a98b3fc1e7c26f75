"""Blocks between tokens that a model's tokenizer keeps apart from text: the first closing one ends them."""

from __future__ import annotations

from collections.abc import Callable, Collection

from finalturn._core.json_text import without_surrogates
from finalturn._core.markup import Ended, closing
from finalturn._core.messages import ToolCall
from finalturn._core.textcalls.read import malformed

__all__ = ["CUT", "MALFORMED", "TokenBlock"]

MALFORMED = "the call was malformed, so nothing was run"
CUT = "the call was cut before its end, so nothing was run"


class TokenBlock:
    """The text after an opening token, fed in pieces.

    Args:
        closes: the closing tokens.
        read: the calls of the text; ``None`` when it is malformed.
        name: the tool's name, where it stands before the block.
        kept: closing tokens that begin something else.
    """

    __slots__ = ("_closing", "_kept", "_longest", "_name", "_parts", "_read", "_tail")

    def __init__(
        self,
        closes: tuple[str, ...],
        read: Callable[[str], tuple[ToolCall, ...] | None],
        *,
        name: str = "",
        kept: Collection[str] = (),
    ) -> None:
        self._closing = closing(closes)
        self._longest = max(map(len, closes))
        self._read = read
        self._name = name
        self._kept = kept
        self._parts: list[str] = []
        self._tail = ""

    def feed(self, text: str, start: int) -> Ended | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        # A token may have begun before this text.
        border = self._tail + text[start : start + self._longest - 1]
        found = self._closing.pattern.search(border) if self._tail else None
        end = 0 if found is None else start + found.end() - len(self._tail)
        if found is None and (found := self._closing.pattern.search(text, start)):
            end = found.end()
        if found is None:
            self._parts.append(text[start:])
            self._tail = (border if len(text) - start < self._longest else text)[1 - self._longest :]
            return None
        whole = "".join((*self._parts, text[start:end]))
        calls = self._judged(whole[: -len(found[0])], MALFORMED)
        if found[0] not in self._kept:
            return Ended(calls, text, end)
        begun = end - len(found[0])
        return Ended(calls, text, begun) if begun >= start else Ended(calls, found[0] + text[end:], 0)

    def finish(self) -> Ended:
        """No more text comes. What ends a model's turn, servers leave out: what is there may be whole."""
        return Ended(self._judged("".join(self._parts), CUT), "", 0)

    def _judged(self, text: str, error: str) -> tuple[ToolCall, ...]:
        calls = self._read(without_surrogates(text))
        return (malformed(text, error, self._name),) if calls is None else calls
