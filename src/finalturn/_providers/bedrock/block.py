"""One content block of a Converse answer."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from finalturn._core.model import ToolCallDelta

Kind: TypeAlias = Literal["text", "toolUse", "reasoningContent", "other"]
"""What a block is. Any other holds nothing that is kept."""


class Block:
    """One block under way.

    Attributes:
        kind: what it is.
        id: of a call.
        name: of a call's tool.
        pieces: the text of a thought, or of a call's arguments.
        length: how many characters of text it has given out.
        signature: of a thought.
        redacted: pieces of a thought that is only there for the vendor, each as base64 text.
        closed: its end has come.
    """

    __slots__ = ("closed", "id", "kind", "length", "name", "pieces", "redacted", "signature")

    def __init__(self, kind: Kind, *, id: str = "", name: str = "") -> None:
        self.kind: Kind = kind
        self.id = id
        self.name = name
        self.pieces: list[str] = []
        self.length = 0
        self.signature = ""
        self.redacted: list[str] = []
        self.closed = False

    def thought(self) -> dict[str, Any] | None:
        """A thought as the vendor wants it back; ``None`` for one that it did not sign.

        The text is needed, even where it is empty.
        """
        if self.redacted:
            return {"reasoningContent": {"redactedContent": _joined(self.redacted)}}
        if self.signature:
            reasoning = {"text": "".join(self.pieces), "signature": self.signature}
            return {"reasoningContent": {"reasoningText": reasoning}}
        return None

    def call(self, number: int, data: Mapping[str, Any] | None) -> ToolCallDelta:
        """A whole call.

        Args:
            number: its place among the calls of the answer.
            data: what the vendor wants back with it.
        """
        arguments = "".join(self.pieces)
        if self.closed and not arguments.strip():
            # Of a block that has ended, nothing was cut off.
            arguments = "{}"
        return ToolCallDelta(number, self.id or None, self.name, arguments, data)


def _joined(pieces: list[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    try:
        return b64encode(b"".join(map(b64decode, pieces))).decode()
    except ValueError:
        return "".join(pieces)
