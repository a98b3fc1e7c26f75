"""Joins the text of an answer that comes as several messages. Pure.

Models of OpenAI's mark a message as commentary or as the final answer (`phase`). Both are meant for the
reader, so both are shown. But they are apart: the final answer begins on a line of its own, where a block
of JSON in it can be found. And at times a model says the same in both; then it is said once, or an answer
that is one JSON value would read as two.
"""

from __future__ import annotations

COMMENTARY = "commentary"


class Prose:
    """Takes the text of messages one after the other, and tells what to show of it."""

    __slots__ = ("_commentary", "_gap", "_held", "_place")

    def __init__(self) -> None:
        # What stands between the message under way and the commentary before it; shown with its first text.
        self._gap = ""
        # That commentary, while the message repeats it: how far it does, and what it has said so far.
        self._commentary: str | None = None
        self._place = 0
        self._held: list[str] = []

    def begin(self, phase: str, commentary: str) -> str:
        """Another message begins: what is left to show of the one before.

        Args:
            phase: what the message is, as far as that is known.
            commentary: what the message before it has said, when that was commentary.
        """
        remainder = self.finish()
        if commentary.strip():
            self._gap = "" if commentary.endswith("\n") else "\n\n"
            if phase != COMMENTARY:
                self._commentary, self._place = commentary.strip(), 0
        return remainder

    def feed(self, text: str) -> str:
        """What to show now that this has been said."""
        self._held.append(text)
        return "" if self._repeats(text) else self._release()

    def finish(self) -> str:
        """The message is over: what is left to show of it."""
        if self._commentary is not None and self._place in (0, len(self._commentary)):
            self._held = []
        return self._release()

    def _repeats(self, text: str) -> bool:
        """Whether all that the message has said is how the commentary begins, blank space around it aside."""
        if self._commentary is None:
            return False
        if not self._place:
            text = text.lstrip()
        if not self._commentary.startswith(text, self._place):
            text = text.rstrip()
            whole = self._place + len(text) == len(self._commentary)
            if not whole or not self._commentary.startswith(text, self._place):
                return False
        self._place += len(text)
        return True

    def _release(self) -> str:
        held = "".join(self._held)
        self._commentary, self._held = None, []
        if held:
            held, self._gap = self._gap + held, ""
        return held
