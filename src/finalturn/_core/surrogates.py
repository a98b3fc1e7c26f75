"""Halves of surrogate pairs in streamed text.

JSON may escape a character outside the basic plane as two halves (RFC 8259, section 7), and a server may
cut its text between them. A half alone is no character: it cannot be encoded, stored or sent on.
"""

from __future__ import annotations

from finalturn._core.json_text import without_surrogates

__all__ = ["SurrogateJoiner"]


class SurrogateJoiner:
    """Joins the two halves of a pair that was cut, and replaces a half that stands alone by U+FFFD."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Take a piece; give back what is known to be whole."""
        if not self._half and (text.isascii() or not text):
            return text
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return without_surrogates(text)

    def finish(self) -> str:
        """The text has ended: a half that is left over is replaced."""
        half, self._half = self._half, ""
        return "\ufffd" if half else ""
