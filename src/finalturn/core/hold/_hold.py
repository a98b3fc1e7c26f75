"""The hold of one model call."""

from __future__ import annotations

import re
from typing import Final

from finalturn.core.hold._bare import Bare
from finalturn.core.hold._block import Block, HoldGate, Target
from finalturn.core.hold._fence import Fence

__all__ = ["JsonHold"]

_LINE_END: Final = re.compile(r"[\r\n]")
_BLANKS: Final = re.compile(r"[\s\ufeff]*")


class JsonHold:
    """Holds back the JSON blocks of one model call's text, and hides the ones that are the answer.

    What is shown, all in all, depends only on the text as a whole: not on how it is cut into deltas.
    """

    __slots__ = ("_blanks", "_block", "_fence", "_fresh", "_opening", "_plain", "_target")

    def __init__(self, gate: HoldGate) -> None:
        """Take what is known of the response_format."""
        self._target = Target(gate)
        # Blank space that is held because a block may follow.
        self._blanks: list[str] = []
        self._block: Block | None = None
        # Nothing but blank space, or a block, so far on this line.
        self._fresh = True
        # The backticks of the open fence that is not a block, or 0; and of one whose opening line goes on.
        self._fence = 0
        self._opening = 0
        # In the middle of a line, with nothing held.
        self._plain = False

    def feed(self, text: str) -> str:
        """Take the next text of the call; return what is to be shown now, "" for nothing."""
        if self._plain and "\n" not in text and "\r" not in text and not text[-1:].isspace():
            return text
        shown: list[str] = []
        at = 0
        while at < len(text):
            if self._block is not None:
                at = self._block.feed(text, at)
                self._settle(self._block, shown)
            elif self._fresh:
                at = self._line_start(text, at)
            else:
                at = self._prose(text, at, shown)
        self._plain = not (self._fresh or self._blanks or self._opening or self._block)
        return "".join(shown)

    def finish(self) -> str:
        """Settle what is undecided, because the call has ended; return what is to be shown of it."""
        shown: list[str] = []
        if self._block is not None:
            self._block.finish()
            self._settle(self._block, shown)
        shown += self._blanks
        self._blanks.clear()
        return "".join(shown)

    def _line_start(self, text: str, start: int) -> int:
        blanks = _BLANKS.match(text, start)
        at = blanks.end() if blanks else start
        if at > start:
            self._blanks.append(text[start:at])
        if at < len(text):
            if text[at] == "`":
                self._block = Fence(self._target, self._fence)
            elif text[at] in self._target.brackets:
                self._block = Bare(self._target)
            else:
                self._fresh = False
        return at

    def _prose(self, text: str, start: int, shown: list[str]) -> int:
        line_end = _LINE_END.search(text, start)
        stop = line_end.start() if line_end else len(text)
        line = text[start:stop]
        body = line.rstrip()
        if body:
            shown += self._blanks
            shown.append(body)
            self._blanks.clear()
        if len(body) < len(line):
            self._blanks.append(line[len(body) :])
        if "`" in body:
            # Markdown has no backtick in an info string: no fence opened on this line.
            self._opening = 0
        if line_end is None:
            return stop
        self._blanks.append(text[stop])
        self._fresh = True
        self._fence = self._opening or self._fence
        self._opening = 0
        return stop + 1

    def _settle(self, block: Block, shown: list[str]) -> None:
        if block.verdict == "open":
            return
        if block.verdict == "released":
            shown += self._blanks
            shown.append(block.shown)
            if block.fence is not None:
                self._fence = block.fence
            self._opening = block.opening
        self._blanks = [block.tail] if block.tail else []
        self._fresh = block.fresh
        self._block = None
