"""Takes tool calls out of the text of a model without tools of its own, as it streams."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from finalturn._core.markup import Markup, MarkupSplitter, Part
from finalturn._core.messages import ToolCall
from finalturn._core.model import TextDelta
from finalturn._core.textcalls.block import ToolCallBlock
from finalturn._core.textcalls.read import OPEN

__all__ = ["TextToolCalls"]

# A small model puts a call into a fence as readily as any other code.
_TAUGHT: Final = Markup(blocks={OPEN: lambda schemas: ToolCallBlock()}, quotes=False)


class TextToolCalls:
    """The text of one model call, fed in pieces, with its ``<tool_call>`` blocks taken out.

    Every opened block is a call and is never shown. One that is not exactly a JSON object of ``name``
    and ``arguments``, or is not closed, is a call with ``error`` set. JSON outside a block is never one.

    Prose is shown at once, but for a ``<`` that may still become the tag. Blank text is left out where
    it would only surround hidden blocks: before the first word of an answer, and after a block unless it
    is all that keeps two words apart. Text without a block comes out unchanged. Nothing depends on where
    the text is cut.

    Args:
        names: the tools that were offered. Without any there is nothing to call, and every text passes
            unchanged. A call of another name is a call still: running it fails as an unknown tool.
    """

    __slots__ = ("_calls", "_off", "_splitter")

    def __init__(self, names: Collection[str]) -> None:
        self._off = not names
        self._splitter = MarkupSplitter(_TAUGHT)
        self._calls: list[ToolCall] = []

    def feed(self, text: str) -> str:
        """Take a piece of the answer. Gives what is visible now, ``""`` when nothing is."""
        splitter = self._splitter
        if "<" not in text and (splitter.flows or self._off):
            if text:
                splitter.shown = text
            return text
        return text if self._off else self._visible(splitter.feed(text))

    def finish(self) -> tuple[str, tuple[ToolCall, ...]]:
        """The answer is complete. Gives the rest of its visible text, and its calls, without ids."""
        last_text = self._visible(self._splitter.finish())
        return last_text, tuple(self._calls)

    def _visible(self, parts: Iterable[Part]) -> str:
        self._calls += (part for part in parts if isinstance(part, ToolCall))
        return "".join(part.text for part in parts if isinstance(part, TextDelta))
