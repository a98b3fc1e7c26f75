"""Takes the calls out of a model's text."""

from __future__ import annotations

from collections.abc import Collection

from finalturn.core.messages import ToolCall
from finalturn.core.textcalls._block import Block
from finalturn.core.textcalls._read import OPEN

__all__ = ["TextToolCalls"]


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

    __slots__ = ("_block", "_calls", "_flows", "_gap", "_gap_open", "_held", "_off", "_shown")

    def __init__(self, names: Collection[str]) -> None:
        self._off = not names
        self._block: Block | None = None
        self._calls: list[ToolCall] = []
        self._held = ""  # the beginning of what may be a tag
        self._gap: list[str] = []  # blank text that may turn out to surround a hidden block
        self._gap_open = True
        self._shown = ""  # the piece that was shown last
        self._flows = self._off  # a text without "<" needs no look

    def feed(self, text: str) -> str:
        """Take a piece of the answer. Gives what is visible now, ``""`` when nothing is."""
        if self._flows and (self._off or "<" not in text):
            if text:
                self._shown = text
            return text
        visible = self._take(text)
        self._flows = not (self._block or self._held or self._gap_open)
        return visible

    def finish(self) -> tuple[str, tuple[ToolCall, ...]]:
        """The answer is complete. Gives the rest of its visible text, and its calls, without ids."""
        rest: list[str] = []
        while self._block is not None:
            call, text, at = self._block.finish()
            self._hide(call)
            rest.append(self._take(text[at:]))
        rest.append(self._show(self._held))
        if not self._calls:
            rest += self._gap
        return "".join(rest), tuple(self._calls)

    def _take(self, text: str) -> str:
        if self._held:
            text, self._held = self._held + text, ""
        visible: list[str] = []
        at = 0
        while at < len(text):
            if self._block is not None:
                ended = self._block.feed(text, at)
                if ended is None:
                    break
                call, text, at = ended
                self._hide(call)
                continue
            start = text.find(OPEN, at)
            if start < 0:
                start = _tag_begins(text, at)
                self._held = text[start:]
                visible.append(self._show(text[at:start]))
                break
            visible.append(self._show(text[at:start]))
            self._block = Block()
            at = start + len(OPEN)
        return "".join(visible)

    def _hide(self, call: ToolCall) -> None:
        self._calls.append(call)
        self._block = None
        self._gap_open = True

    def _show(self, text: str) -> str:
        if self._gap_open:
            words = text.lstrip()
            self._gap.append(text[: len(text) - len(words)])
            if not words:
                return ""
            if self._calls and (not self._shown or self._shown[-1].isspace()):
                self._gap.clear()
            text = "".join((*self._gap, words))
            self._gap.clear()
            self._gap_open = False
        if text:
            self._shown = text
        return text


def _tag_begins(text: str, start: int) -> int:
    """Where the text ends in what may become an opening tag; its length where it does not."""
    at = text.rfind("<", max(start, len(text) + 1 - len(OPEN)))
    return at if at >= 0 and OPEN.startswith(text[at:]) else len(text)
