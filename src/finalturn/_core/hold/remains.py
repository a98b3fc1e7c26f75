"""Where a block ends that is to be hidden and is no longer JSON.

Nothing can be sure here. Both rules read no further than they must, keep no text, and err towards hiding:
a byte of the answer must not be shown, while prose that is lost from the stream is still in the response.
"""

from __future__ import annotations

from typing import Final

__all__ = ["BareRemains", "FenceRemains"]

# What a line of a failed attempt may begin with, and prose hardly does: JSON, its comments, loose quotes.
_JSON_LIKE: Final = frozenset("\"'{}[],:/")


class BareRemains:
    """Goes on behind the break until the braces balance at a line's end, or a paragraph of prose begins.

    Braces that balance in the middle of a line do not end it: a stray one, behind a quote that is not
    escaped, is the commonest fault of all. But where the block stands inside markup, what may close the
    markup ends it then.
    Only braces count: the root is an object, and a lost or doubled square bracket must not move its end.
    Quotes are paired within a line only, so that a stray one spoils no more than its line. A paragraph
    is prose when it stands behind a blank line, is not indented and does not begin like JSON: a blank
    line alone is not the end, since failed answers have blank lines between their members. So is a line
    that begins with a backtick.
    """

    __slots__ = (
        "_balanced",
        "_braces",
        "_closer",
        "_escaped",
        "_lines",
        "_margin",
        "_quoted",
        "_returns",
        "ended",
    )

    def __init__(self, braces: int, blank: str, closer: str) -> None:
        """Take what stands before the break.

        Args:
            braces: how many are open.
            blank: the blank space right before it.
            closer: the first character of what closes the markup around the block; empty for none.
        """
        self.ended = False
        self._braces = braces
        self._closer = closer
        self._balanced = False
        self._quoted = False
        self._escaped = False
        # Line feeds and carriage returns since the last character that was not blank: two of either
        # are a blank line.
        self._lines = blank.count("\n")
        self._returns = blank.count("\r")
        # Nothing stands before the next character on its line.
        self._margin = blank.endswith(("\n", "\r"))

    def feed(self, text: str, start: int) -> int:
        """Read on; return where reading stopped: the end of the text, or of the remains."""
        for at in range(start, len(text)):
            character = text[at]
            if character == "\n" or character == "\r":
                if self._balanced:
                    self.ended = True
                    return at
                self._quoted = self._escaped = False
                self._lines += character == "\n"
                self._returns += character == "\r"
                self._margin = True
                continue
            if not character.isspace():
                if self._ends_at(character):
                    self.ended = True
                    return at
                self._lines = self._returns = 0
                self._take(character)
                self._balanced = self._braces <= 0
            self._margin = False
        return len(text)

    def _ends_at(self, character: str) -> bool:
        if self._balanced and character == self._closer:
            return True
        if not self._margin:
            return False
        return character == "`" or ((self._lines > 1 or self._returns > 1) and character not in _JSON_LIKE)

    def _take(self, character: str) -> None:
        if self._escaped:
            self._escaped = False
        elif character == "\\":
            self._escaped = self._quoted
        elif character == '"':
            self._quoted = not self._quoted
        elif not self._quoted:
            self._braces += (character == "{") - (character == "}")


class FenceRemains:
    """Goes on behind the break until enough ticks of the fence end a line.

    A line that begins with enough of them and goes on, with an info word, opens a fence inside, whose
    closing line is not the end. On the line that opened the fence, any that are enough are the end.
    """

    __slots__ = ("_apart", "_count", "_first_line", "_margin", "_nested", "_run", "_tick", "ended")

    def __init__(self, tick: str, count: int, *, first_line: bool) -> None:
        """Take the ticks that opened the fence, and whether its first line still goes on."""
        self.ended = False
        self._tick = tick
        self._count = count
        self._first_line = first_line
        self._run = 0
        self._apart = False
        # Nothing but blank space and ticks stands on the line so far.
        self._margin = False
        self._nested = 0

    def feed(self, text: str, start: int) -> int:
        """Read on; return where reading stopped: the end of the text, or of the closing ticks' line."""
        for at in range(start, len(text)):
            character = text[at]
            if character == self._tick:
                self._run = 1 if self._apart else self._run + 1
                self._apart = False
                continue
            if self._first_line and self._run >= self._count:
                self.ended = True
                return at
            if character in "\r\n":
                if self._run >= self._count:
                    if not self._nested:
                        self.ended = True
                        return at
                    self._nested -= 1
                self._run = 0
                self._apart = self._first_line = False
                self._margin = True
            elif character.isspace():
                self._apart = True
            else:
                self._nested += self._margin and self._run >= self._count
                self._run = 0
                self._margin = False
        return len(text)
