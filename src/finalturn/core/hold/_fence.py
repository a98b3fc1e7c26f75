"""A block in a fence of backticks; also what only looks like one."""

from __future__ import annotations

from typing import Final, Literal

from finalturn.core.hold._block import LINE_ENDS, Block, Target
from finalturn.core.hold._remains import FenceRemains
from finalturn.core.hold._scan import Scan

__all__ = ["Fence"]

_Phase = Literal["ticks", "gap", "word", "suffix", "margin", "info", "value", "after", "closing", "remains"]

_LEAST: Final = 3
_WORD: Final = "json"


class Fence(Block):
    """A fence, from its first backtick.

    The phases, in the order of the text: ``ticks`` and ``gap`` (blank space) before the info ``word``,
    its ``suffix`` (behind ``json``), the ``margin`` before the ``value``, and ``after`` it the
    ``closing`` ticks. ``info`` skips the rest of the opening line. A value may stand on the opening
    line; what breaks there was more of the info string (a title, a list of lines), and the value is
    looked for on the lines below.
    """

    __slots__ = (
        "_count",
        "_enclosing",
        "_first_line",
        "_line_over",
        "_matched",
        "_phase",
        "_remains",
        "_root",
        "_run",
        "_scan",
        "_value",
    )

    def __init__(self, target: Target, enclosing: int) -> None:
        """Take also the number of backticks of the fence that this line stands in, or 0."""
        super().__init__(target)
        self._enclosing = enclosing
        self._phase: _Phase = "ticks"
        self._count = 0
        self._matched = 0
        self._first_line = True
        self._scan = Scan(target.keys)
        self._value: list[str] = []
        self._root = ""
        self._line_over = False
        self._run = 0
        self._remains = FenceRemains(0)

    def _read(self, text: str, start: int, end: int) -> int:
        if self._phase == "value":
            return self._read_value(text, start, end)
        if self._phase == "remains":
            stop = self._remains.feed(text, start)
            self._keep(text[start:stop])
            if self._remains.ended:
                self._hide()
            return stop
        if not self._step(text[start]):
            return start
        self._keep(text[start])
        return start + 1

    def _step(self, character: str) -> bool:
        """Take a character outside the value; False to have it looked at again, or left outside."""
        match self._phase:
            case "ticks":
                return self._ticks(character)
            case "gap":
                return self._gap(character)
            case "word":
                return self._word(character)
            case "suffix":
                return self._suffix(character)
            case "info":
                return self._info(character)
            case "after":
                return self._after(character)
            case "closing":
                return self._closing(character)
            case _:
                return self._margin(character)

    # The opening line.

    def _ticks(self, character: str) -> bool:
        if character == "`":
            self._count += 1
            return True
        if self._count < _LEAST:
            self._release()
        else:
            self._phase = "gap"
        return False

    def _gap(self, character: str) -> bool:
        if character in LINE_ENDS and 0 < self._enclosing <= self._count:
            self.fence = 0
            self._release()
            return False
        if character in LINE_ENDS or character in self._target.brackets:
            self._phase = "margin"
            return False
        if character.isspace():
            return True
        self._phase = "word"
        return False

    def _word(self, character: str) -> bool:
        if character.lower() == _WORD[self._matched]:
            self._matched += 1
            if self._matched == len(_WORD):
                self._phase = "suffix"
            return True
        if character != "`" and not self._enclosing:
            self.opening = self._count
        self._release()
        return False

    def _suffix(self, character: str) -> bool:
        if character == "`":
            self._release()
            return False
        if character.isspace() or character in self._target.brackets:
            self._phase = "margin"
            return False
        return True

    def _info(self, character: str) -> bool:
        if character == "`":
            # Markdown has no backtick in an info string: this was code in a line of prose.
            self._release()
            return False
        if character in LINE_ENDS:
            self._phase = "margin"
            return False
        return True

    # The value.

    def _margin(self, character: str) -> bool:
        if character in LINE_ENDS:
            self._first_line = False
            return True
        if character.isspace() or character == "\ufeff":
            return True
        if character in self._target.starts:
            self._phase = "value"
            self._scan = Scan(self._target.keys)
            self._value.clear()
            self._root = character
            self._line_over = False
        else:
            self._broke()
        return False

    def _read_value(self, text: str, start: int, end: int) -> int:
        scan = self._scan
        stop = scan.feed(text, start, end)
        piece = text[start:stop]
        self._keep(piece)
        if not LINE_ENDS.isdisjoint(piece):
            self._first_line = False
        if scan.found:
            self._doom()
            self._value.clear()
        else:
            self._value.append(piece)
        if scan.outcome == "closed":
            self._phase = "after"
        elif scan.outcome == "broken":
            self._broke()
        return stop

    def _broke(self) -> None:
        if self._doomed:
            self._phase = "remains"
            self._remains = FenceRemains(self._count)
        elif self._first_line:
            self._phase = "info"
        else:
            self._leave_open()

    def _leave_open(self) -> None:
        self.fence = self._count
        self._release(closed=self._phase in ("after", "closing"))

    # Behind the value.

    def _after(self, character: str) -> bool:
        if character == "`":
            self._phase = "closing"
            self._run = 1
            return True
        if character in LINE_ENDS:
            self._first_line = False
            self._line_over = True
        if character.isspace():
            return True
        self._broke_behind()
        return False

    def _closing(self, character: str) -> bool:
        if character == "`":
            self._run += 1
            return True
        if self._run < self._count:
            self._broke_behind()
            return False
        self._judge()
        if self._doomed:
            self._hide()
        else:
            self._release(closed=True)
        return False

    def _broke_behind(self) -> None:
        """Something else than ticks follows the value: a complete object, or array, counts as when bare."""
        if self._root == "{" or (self._root == "[" and self._line_over):
            self._judge()
        self._broke()

    def _judge(self) -> None:
        if not self._doomed and self._passes("".join(self._value)):
            self._doom()

    def _cut(self) -> None:
        if self._phase in ("after", "closing"):
            self._judge()
        if not self._doomed:
            self._leave_open()
