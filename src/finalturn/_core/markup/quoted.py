"""Code that a model quotes: where it ends.

It begins with a run of backticks, or with three tildes at the start of a line. A shorter run of backticks,
or one that is followed by as many on the same line, is a span. Any other is a fence, to a line of nothing
but as many marks, or more.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

__all__ = ["FENCE", "QuotedCode"]

FENCE: Final = 3

_MARKS: Final = {"`": re.compile("`*"), "~": re.compile("~*")}
_STOPS: Final = {"`": re.compile("[`\n]"), "~": re.compile("\n")}
_LINE_START: Final = re.compile(r"[ \t>]*")
_LINE_END: Final = re.compile(r"[ \t\r]*")


class _Place(Enum):
    OPENING = auto()  # the first run
    LINE = auto()  # the line that it stands in
    START = auto()  # the start of a line in a fence
    RUN = auto()  # a run of marks there
    TAIL = auto()  # what follows it
    INSIDE = auto()  # any other place of a fence


class QuotedCode:
    """The code from its first mark on.

    Args:
        mark: a backtick or a tilde.
    """

    __slots__ = ("_closed", "_mark", "_place", "_run", "_size")

    def __init__(self, mark: str) -> None:
        self._mark = mark
        self._place = _Place.OPENING
        self._closed = False
        self._size = 0
        self._run = 0

    def follow(self, text: str, at: int) -> int | None:
        """Where it ends in the text; ``None`` when it goes on."""
        while at < len(text):
            if self._place is _Place.OPENING:
                at = self._count(text, at)
                if at < len(text):
                    if self._mark == "~" and self._run < FENCE:
                        return at
                    self._size, self._run = self._run, 0
                    self._place = _Place.LINE
            elif self._place is _Place.LINE:
                if self._mark == "`":
                    start, at = at, self._count(text, at)
                    if at > start:
                        continue
                    if self._run == self._size:
                        return at
                    self._run = 0
                stop = _STOPS[self._mark].search(text, at)
                if stop is None:
                    return None
                at = stop.start()
                if text[at] == "\n":
                    if self._size < FENCE:
                        return at
                    at += 1
                    self._place = _Place.START
            else:
                at = self._in_fence(text, at)
                if self._closed:
                    return at
        return None

    def _in_fence(self, text: str, at: int) -> int:
        if self._place is _Place.START:
            at = _end(_LINE_START, text, at)
            if at < len(text):
                self._run = 0
                self._place = _Place.RUN
        elif self._place is _Place.RUN:
            at = self._count(text, at)
            if at < len(text):
                self._place = _Place.TAIL if self._run >= self._size else _Place.INSIDE
        elif self._place is _Place.TAIL:
            at = _end(_LINE_END, text, at)
            if at < len(text):
                self._closed = text[at] == "\n"
                self._place = _Place.INSIDE
        else:
            at = text.find("\n", at) + 1
            if at:
                self._place = _Place.START
            else:
                at = len(text)
        return at

    def _count(self, text: str, at: int) -> int:
        end = _end(_MARKS[self._mark], text, at)
        self._run += end - at
        return end


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at
