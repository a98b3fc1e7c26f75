"""`Stage`: the output of a command, either a terminal that can redraw, or lines."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from finalturn._cli.view.transcript import Transcript

__all__ = ["Screen", "Stage"]


class Screen(Protocol):
    """Shows one turn as it goes on."""

    def show(self, transcript: Transcript, /) -> None:
        """Show what there is now."""
        ...


class Stage(Protocol):
    """The output of a command."""

    @property
    def live(self) -> bool:
        """A person is watching: what has been drawn can be drawn anew, and haste is no virtue."""
        ...

    def heading(self, text: str, /) -> None:
        """The title of a part."""
        ...

    def remark(self, text: str, /) -> None:
        """A sentence beside the turns."""
        ...

    def verdict(self, good: bool, text: str, /) -> None:
        """Whether something is as promised."""
        ...

    def busy(self, text: str, /) -> AbstractContextManager[None]:
        """Something takes a moment."""
        ...

    def screen(self) -> AbstractContextManager[Screen]:
        """Where the next turn is shown; left when it is over."""
        ...
