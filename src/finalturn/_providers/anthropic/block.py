"""One content block of a Messages answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from finalturn._core.model import ToolCallDelta
from finalturn._providers.answers.json_types import as_text

# What is kept of a block's beginning. What else a block holds is text, arguments or nothing of ours.
_KEPT = {"tool_use": ("id", "name"), "thinking": ("signature",), "redacted_thinking": ("data",)}


class Block:
    """One block under way.

    Args:
        given: its beginning, as the server sent it.

    Attributes:
        kind: its type.
        given: what is kept of its beginning.
        pieces: the text of a thought, or of a call's arguments.
        length: how many characters of text it has given out.
        signature: of a thought.
        closed: its end has come.
    """

    __slots__ = ("closed", "given", "kind", "length", "pieces", "signature")

    def __init__(self, given: dict[str, Any]) -> None:
        self.kind = as_text(given.get("type")) or _kind_by_field(given)
        kept = _KEPT.get(self.kind, ())
        self.given: dict[str, Any] = {name: as_text(given[name]) for name in kept if name in given}
        self.pieces: list[str] = []
        self.length = 0
        self.signature = self.given.get("signature", "")
        self.closed = False

    def thought(self) -> dict[str, Any]:
        """A thought as the vendor wants it back."""
        found = {"type": self.kind, **self.given}
        if self.kind == "thinking":
            found["thinking"] = "".join(self.pieces)
        if self.signature:
            found["signature"] = self.signature
        return found

    def call(self, number: int, data: Mapping[str, Any] | None) -> ToolCallDelta:
        """A whole call.

        Args:
            number: its place among the calls of the answer.
            data: what the provider wants back with it.
        """
        arguments = "".join(self.pieces)
        if self.closed and not arguments.strip():
            # Of a block that has ended, nothing was cut off.
            arguments = "{}"
        name = self.given.get("name", "")
        return ToolCallDelta(number, self.given.get("id") or None, name, arguments, data)


def _kind_by_field(given: dict[str, Any]) -> str:
    """What a block is that does not name its type."""
    if "name" in given or "input" in given:
        return "tool_use"
    return "thinking" if "thinking" in given else "text"
