"""A block without a fence: a line that starts with the root's bracket."""

from __future__ import annotations

from finalturn.core.hold._block import LINE_ENDS, Block, Target
from finalturn.core.hold._remains import BareRemains
from finalturn.core.hold._scan import Scan

__all__ = ["Bare"]


class Bare(Block):
    """An object or an array. The first character fed is its bracket."""

    __slots__ = ("_closed", "_remains", "_scan")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._scan = Scan(target.keys)
        self._remains: BareRemains | None = None
        self._closed = False

    def _read(self, text: str, start: int, end: int) -> int:
        if self._remains is not None:
            return self._read_remains(self._remains, text, start)
        if self._closed:
            return self._rest_of_line(text[start], start)
        scan = self._scan
        stop = scan.feed(text, start, end)
        self._keep(text[start:stop])
        if scan.found:
            self._doom()
        if scan.outcome == "broken":
            if self._doomed:
                self._remains = BareRemains(scan.open_braces, "".join(self._held))
            else:
                self._release()
        elif scan.outcome == "closed":
            self._closed = True
            if text[stop - 1] == "}":
                self._judge()
        return stop

    def _read_remains(self, remains: BareRemains, text: str, start: int) -> int:
        stop = remains.feed(text, start)
        self._keep(text[start:stop])
        if remains.ended:
            self._hide()
        return stop

    def _rest_of_line(self, character: str, at: int) -> int:
        """Prose has brackets as well: an array counts when its line ends behind it."""
        if character in LINE_ENDS:
            self._judge()
        elif character.isspace():
            self._keep(character)
            return at + 1
        else:
            self._release(closed=True)
        return at

    def _judge(self) -> None:
        if self._doomed or self._passes("".join(self._held).rstrip()):
            self._hide()
        else:
            self._release(closed=True)

    def _cut(self) -> None:
        if self._closed:
            self._judge()
        else:
            self._release()
