"""Reasoning that a model writes into its text, between ``<think>`` and ``</think>``. Pure."""

from __future__ import annotations

from enum import Enum, auto

__all__ = ["ThinkSplitter"]

OPEN, CLOSE = "<think>", "</think>"

# How much white space may stand before the tag: no more than that is ever held back.
MAX_BLANK = 64

_LINE_ENDS = "\r\n"


class _Place(Enum):
    """What comes next."""

    START = auto()
    FIRST_THOUGHT = auto()
    THOUGHT = auto()
    FIRST_TEXT = auto()
    TEXT = auto()


class ThinkSplitter:
    """Takes an answer's text piece by piece, and tells reasoning from what is said.

    Reasoning is only looked for at the start of the answer: the tag stands first, or behind white space.
    A tag that comes later is text like any other, as is an end whose start is missing: what came before it
    has been given out already. Line ends directly behind a tag belong to it.

    How the text is cut into pieces changes nothing. A text that does not start with the tag comes out as
    it went in.
    """

    __slots__ = ("_held", "_place")

    def __init__(self) -> None:
        self._place: _Place = _Place.START
        self._held: str = ""

    def feed(self, text: str) -> tuple[str, str]:
        """The reasoning, and then the text, that are certain now."""
        if self._place is _Place.TEXT:
            return "", text
        text, self._held = self._held + text, ""
        if self._place is _Place.START:
            said = text.lstrip()
            if len(text) - len(said) > MAX_BLANK or not OPEN.startswith(said[: len(OPEN)]):
                self._place = _Place.TEXT
                return "", text
            if len(said) < len(OPEN):
                self._held = text
                return "", ""
            self._place = _Place.FIRST_THOUGHT
            text = said[len(OPEN) :]
        return self._split(text)

    def finish(self) -> tuple[str, str]:
        """The answer has ended: the reasoning and the text that were held back."""
        rest, self._held = self._held, ""
        return ("", rest) if self._place is _Place.START else (rest, "")

    def _split(self, text: str) -> tuple[str, str]:
        reasoning = ""
        if self._place is _Place.FIRST_THOUGHT:
            text = self._without_line_ends(text, _Place.THOUGHT)
        if self._place is _Place.THOUGHT:
            reasoning, closed, text = text.partition(CLOSE)
            if closed:
                self._place = _Place.FIRST_TEXT
            else:
                certain = len(reasoning) - _overlap(reasoning)
                reasoning, self._held = reasoning[:certain], reasoning[certain:]
        if self._place is _Place.FIRST_TEXT:
            text = self._without_line_ends(text, _Place.TEXT)
        return reasoning, text

    def _without_line_ends(self, text: str, then: _Place) -> str:
        text = text.lstrip(_LINE_ENDS)
        if text:
            self._place = then
        return text


def _overlap(text: str) -> int:
    """How many of the last characters may be the beginning of the closing tag."""
    return next((size for size in range(len(CLOSE) - 1, 0, -1) if text.endswith(CLOSE[:size])), 0)
