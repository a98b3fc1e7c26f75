"""A value in the text that may be the answer, and is held until that is decided."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from finalturn._core.hold.broken import BrokenBareBlock, BrokenFencedBlock
from finalturn._core.hold.pending import LINE_ENDS
from finalturn._core.hold.scan import IncrementalScan, Inner
from finalturn._core.hold.target import Target

__all__ = ["LIMIT", "Candidate", "Part", "SurroundingMarkup"]

# The most that is held of what is undecided, in characters.
LIMIT: Final = 256 * 1024


class SurroundingMarkup(NamedTuple):
    """What a candidate stands in.

    Attributes:
        closer: the first character of what closes it; empty for none.
        ticks: how many ticks opened it, if it is a fence; else 0.
        first_line: nothing but blank space, and no line end, stands between the two.
    """

    closer: str = ""
    ticks: int = 0
    first_line: bool = False


class Part(NamedTuple):
    """Some text of a candidate, once it is decided.

    Attributes:
        text: what is to be shown; empty where it is hidden.
        hidden: whether an answer, or an attempt at it, stood here.
        closes: what is hidden went on to the end of the fence around it.
    """

    text: str
    hidden: bool = False
    closes: bool = False


class Candidate:
    """One value, from its first character until it is decided what to show of it.

    Attributes:
        decided: what is decided already, in order, since the holder last took it.
        over: nothing of what follows belongs to it.
        unread: once over, the end of its text, which is to be read again: another value may begin there.
        before_unread: the character before that.
    """

    __slots__ = (
        "_base",
        "_broken",
        "_is_hidden",
        "_markup",
        "_phase",
        "_pieces",
        "_room",
        "_scan",
        "_target",
        "before_unread",
        "decided",
        "over",
        "unread",
    )

    def __init__(self, target: Target, markup: SurroundingMarkup) -> None:
        self.decided: list[Part] = []
        self.over = False
        self.unread = self.before_unread = ""
        self._target = target
        self._markup = markup
        self._scan = IncrementalScan(target.keys, target.brackets)
        self._phase: Literal["value", "behind", "broken"] = "value"
        self._broken: BrokenBareBlock | BrokenFencedBlock | None = None
        # It is sure to be hidden: none of its text is kept but its blank end.
        self._is_hidden = False
        self._pieces: list[str] = []
        self._room = LIMIT
        # The place in the scanned text where the held text begins.
        self._base = 0

    def feed(self, text: str, start: int) -> int:
        """Read on from ``start``; return where the candidate, or the text, ends."""
        at = start
        while not self.over and at < len(text):
            end = len(text) if self._is_hidden else min(len(text), at + self._room)
            if self._phase == "value":
                at = self._read(text, at, end)
            elif self._broken is not None:
                at = self._read_broken(self._broken, text, at)
            else:
                at = self._read_behind(text[at], at)
            if not self.over and not self._is_hidden and self._room <= 0:
                self._make_room()
        return at

    def finish(self) -> None:
        """The text is over: decide."""
        if self._phase == "behind":
            self._judge()
        elif self._is_hidden:
            self._hide()
        else:
            self._break(ended=True)

    # Reading.

    def _read(self, text: str, start: int, end: int) -> int:
        scan = self._scan
        stop = scan.feed(text, start, end)
        self._keep(text[start:stop])
        if scan.has_wanted_key and not self._is_hidden:
            self._decide_to_hide()
        if scan.outcome == "closed":
            if self._is_hidden or scan.keyed:
                self._judge()
            else:
                self._phase = "behind"
        elif scan.outcome == "broken":
            self._break(ended=False)
        return stop

    def _read_behind(self, character: str, at: int) -> int:
        """Prose has ``[1]`` as well: bare numbers and words count when nothing follows on their line."""
        if character == self._markup.closer or (character in LINE_ENDS and self._pieces[0].startswith("[")):
            self._judge()
        elif character.isspace():
            self._keep(character)
            return at + 1
        else:
            self._show()
        return at

    def _read_broken(self, broken: BrokenBareBlock | BrokenFencedBlock, text: str, start: int) -> int:
        stop = broken.feed(text, start)
        self._keep(text[start:stop])
        if broken.ended:
            self._hide(closes=isinstance(broken, BrokenFencedBlock))
        return stop

    # Deciding.

    def _judge(self) -> None:
        if self._is_hidden or self._target.is_answer("".join(self._pieces).strip()):
            self._hide()
        else:
            self._show()

    def _break(self, *, ended: bool) -> None:
        """No text can complete the value: it is an attempt at the answer, or prose that may hold one."""
        if self._is_hidden:
            self._hide_past_break(0)
            return
        opened = self._scan.opened
        text = "".join(self._pieces)
        attempt = next((index for index, inner in enumerate(opened) if inner.has_wanted_key), None)
        if attempt is None:
            end = len(text) if ended else self._other_reading(text)
            self._show_but_answers(text[:end], self._scan.closed)
            self.unread = text[end:]
            self.before_unread = text[end - 1 : end]
            self.over = True
            return
        end = opened[attempt].start - self._base
        self._show_but_answers(text[:end], self._scan.closed[: opened[attempt].closed_before])
        self._pieces = [text[end:]]
        self._decide_to_hide()
        if ended:
            self._hide()
        else:
            self._hide_past_break(attempt)

    def _hide_past_break(self, root: int) -> None:
        """Hide on, from behind the break of an attempt that is one of the opened arrays and objects."""
        self._phase = "broken"
        markup = self._markup
        if markup.ticks:
            self._broken = BrokenFencedBlock(markup.closer, markup.ticks, first_line=markup.first_line)
        else:
            braces = self._scan.braces_from(root)
            self._broken = BrokenBareBlock(braces, "".join(self._pieces), markup.closer)

    def _other_reading(self, text: str) -> int:
        """Where in a broken value another may begin, which was taken for the end of a string.

        In ``{"x: {"a": 1}`` that is the second brace, whose first quote seemed to close the string; so it is
        when a line break stands before that quote, since no key goes on behind one. The end of the text
        when there is none; what has closed inside is a value of its own, and was read as it is.
        """
        closed = self._scan.closed
        least = closed[-1].end - self._base if closed else 0
        end = len(text) if self._scan.in_key else max(text.rfind('"', least), 0)
        head = text[:end].rstrip(" \t\r\n")
        start = len(head) - 1
        return start if start > least and head[start] in self._target.brackets else len(text)

    def _show_but_answers(self, text: str, closed: list[Inner]) -> None:
        """Show a text that is no value, all but the answers that it holds."""
        at = 0
        for inner in closed:
            start, end = inner.start - self._base, inner.end - self._base
            if inner.has_wanted_key or (inner.keyed and self._target.is_answer(text[start:end])):
                self.decided += (Part(text[at:start]), Part("", hidden=True))
                at = end
        self.decided.append(Part(text[at:]))

    def _make_room(self) -> None:
        """Take the outermost arrays and objects for prose, until half of what may be held is free."""
        if self._phase == "behind":
            self._judge()
            return
        text = "".join(self._pieces)
        opened = self._scan.opened
        least = self._base + len(text) - LIMIT // 2
        count = 0
        for index, inner in enumerate(opened):
            may_be_root = index and inner.bracket in self._target.brackets
            if may_be_root and (inner.has_wanted_key or inner.start >= least):
                count = index
                break
        if not count:
            self._break(ended=True)
            return
        root = opened[count]
        end = root.start - self._base
        self._show_but_answers(text[:end], self._scan.closed[: root.closed_before])
        self._base = root.start
        self._pieces = [text[end:]]
        self._room = LIMIT - (len(text) - end)
        self._scan.give_up(count)
        if self._scan.has_wanted_key:
            self._decide_to_hide()

    # The held text.

    def _keep(self, piece: str) -> None:
        if not self._is_hidden:
            self._pieces.append(piece)
            self._room -= len(piece)
            return
        body = piece.rstrip()
        if body:
            self._pieces.clear()
            self._room = LIMIT
        blank = piece[len(body) :]
        if blank and self._room > 0:
            self._pieces.append(blank[: self._room])
            self._room -= len(blank)

    def _decide_to_hide(self) -> None:
        """Be sure to hide the value, wherever it will end."""
        self._is_hidden = True
        text = "".join(self._pieces)
        blank = text[len(text.rstrip()) :]
        self._pieces = [blank]
        self._room = LIMIT - len(blank)

    def _hide(self, *, closes: bool = False) -> None:
        if not self._is_hidden:
            self._decide_to_hide()
        self.decided += (Part("", hidden=True, closes=closes), Part("".join(self._pieces)))
        self.over = True

    def _show(self) -> None:
        self.decided.append(Part("".join(self._pieces)))
        self.over = True
