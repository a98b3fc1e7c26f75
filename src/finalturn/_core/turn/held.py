"""The text of a model call of which JSON blocks are held back."""

from __future__ import annotations

from finalturn._core.hold import JsonHold
from finalturn._core.output import Output


class HeldText:
    """A hold, and what has got past it."""

    __slots__ = ("_hold", "_shown")

    def __init__(self, output: Output[object]) -> None:
        self._hold = JsonHold(output)
        self._shown: list[str] = []

    def feed(self, text: str) -> str:
        """Take a piece of the call's text; give back what may be shown now."""
        return self._note(self._hold.feed(text))

    def finish(self) -> str:
        """The call has ended: give back what may be shown after all."""
        return self._note(self._hold.finish())

    @property
    def shown(self) -> str:
        """All that has been given back so far."""
        return "".join(self._shown)

    def _note(self, text: str) -> str:
        if text:
            self._shown.append(text)
        return text
