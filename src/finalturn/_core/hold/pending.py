"""What has been read and is neither shown nor hidden yet: blank space, and markup that opens."""

from __future__ import annotations

from typing import Final

__all__ = ["LINE_ENDS", "Opener", "Pending"]

LINE_ENDS: Final = frozenset("\r\n")


class Opener:
    """Markup that opens: a tag, or ticks.

    Attributes:
        closer: the first character of what closes it.
        name: the tag's name; empty for ticks.
        ticks: how many there are; 0 for a tag.
        json: whether a fence says that it holds JSON, or nothing.
        starts_line: nothing stands before it on its line.
        hidden: an answer stood inside, and nothing else.
    """

    __slots__ = ("closer", "hidden", "json", "name", "place", "starts_line", "ticks")

    def __init__(
        self, closer: str, *, name: str = "", ticks: int = 0, json: bool = False, starts_line: bool = False
    ) -> None:
        self.closer = closer
        self.name = name
        self.ticks = ticks
        self.json = json
        self.starts_line = starts_line
        self.hidden = False
        # Where its text stands among the parts.
        self.place = 0


class Pending:
    """Text that goes with a hidden answer, or is shown before what comes next.

    Attributes:
        openers: the markup that is open, the outermost first.
        length: how many characters there are.
    """

    __slots__ = ("_parts", "length", "openers")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.openers: list[Opener] = []
        self.length = 0

    @property
    def innermost(self) -> Opener | None:
        """The markup that was opened last."""
        return self.openers[-1] if self.openers else None

    def add(self, blank: str) -> None:
        """Blank space has been read."""
        self._parts.append(blank)
        self.length += len(blank)

    def open(self, opener: Opener, text: str) -> None:
        """Markup has been read that opens."""
        opener.place = len(self._parts)
        self.openers.append(opener)
        self.add(text)

    def hide(self) -> None:
        """An answer has been hidden, and takes the blank space before it along."""
        start = 0
        if self.openers:
            self.openers[-1].hidden = True
            start = self.openers[-1].place + 1
        self.length -= sum(map(len, self._parts[start:]))
        del self._parts[start:]

    def close(self) -> None:
        """The innermost markup has closed around nothing but an answer, and goes with it."""
        self.openers.pop()
        self.hide()

    def ends_line(self, opener: Opener) -> bool:
        """Whether a line has ended since the markup."""
        return any(not LINE_ENDS.isdisjoint(part) for part in self._parts[opener.place + 1 :])

    def take(self) -> str:
        """All of it, to be shown."""
        text = "".join(self._parts)
        self._parts.clear()
        self.openers.clear()
        self.length = 0
        return text

    def drop_markup(self) -> None:
        """The text is over: what opened around nothing but an answer goes with it.

        Ticks behind the answer are the beginning of what would have closed it.
        """
        while self.openers:
            opener, outer = self.openers[-1], self.openers[-2:-1]
            closes = any(one.hidden and one.closer == opener.closer and one.ticks for one in outer)
            if not (opener.hidden or (opener.ticks and closes)):
                return
            self.openers.pop()
            start = self.openers[-1].place + 1 if self.openers else 0
            del self._parts[start : opener.place + 1]
            if self.openers:
                self.openers[-1].hidden = True
