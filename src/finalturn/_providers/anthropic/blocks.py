"""The content blocks of a Messages answer.

Servers leave out indexes, ends and even beginnings of blocks, give every block the index 0, or put all of
a block into its beginning; what is done then is written beside each rule.
"""

from __future__ import annotations

from typing import Any, ClassVar

from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.blocks.blocks import AnswerBlock, AnswerBlocks
from finalturn._providers.json_types import arguments_text, as_int, as_text

# What is kept of a block's beginning. What else a block holds is text, arguments or nothing of ours.
_KEPT_FIELDS = {"tool_use": ("id", "name"), "thinking": ("signature",), "redacted_thinking": ("data",)}
_KNOWN_KINDS = ("text", *_KEPT_FIELDS)
_THOUGHTS = ("thinking", "redacted_thinking")

# What a delta holds: its kind, and of which kind of block it is a piece. Some servers leave out its type.
_DELTAS = {"text": "text", "thinking": "thinking", "signature": "thinking", "partial_json": "tool_use"}


class AnthropicBlock(AnswerBlock):
    """One block of a Messages answer.

    Args:
        start: its beginning, as the server sent it.

    Attributes:
        start: what is kept of its beginning.
    """

    __slots__ = ("start",)

    def __init__(self, start: dict[str, Any]) -> None:
        kind = as_text(start.get("type")) or _kind_by_field(start)
        field_names = _KEPT_FIELDS.get(kind, ())
        self.start: dict[str, str] = {name: as_text(start[name]) for name in field_names if name in start}
        super().__init__(kind, id=self.start.get("id", ""), name=self.start.get("name", ""))
        self.signature = self.start.get("signature", "")

    def thought(self) -> dict[str, Any] | None:
        """A thought as the vendor wants it back; ``None`` for any other block."""
        if self.kind not in _THOUGHTS:
            return None
        thought = {"type": self.kind, **self.start}
        if self.kind == "thinking":
            thought["thinking"] = "".join(self.pieces)
        if self.signature:
            thought["signature"] = self.signature
        return thought


class AnthropicBlocks(AnswerBlocks[AnthropicBlock]):
    """All blocks of one Messages answer."""

    call_kind: ClassVar[str] = "tool_use"

    def start(self, index: object, start: dict[str, Any], events: list[ModelEvent]) -> None:
        """A block begins; all of it may be there already."""
        block = self._add(as_int(index), AnthropicBlock(start))
        if block.kind == "text":
            self._add_text(block, as_text(start.get("text")), events)
        elif block.kind == "thinking":
            self._add_thought(block, as_text(start.get("thinking")), events)
        elif block.kind == "tool_use":
            text = arguments_text(start.get("input"))
            # The vendor itself begins with an empty object, whatever follows.
            self._add_piece(block, "" if text == "{}" else text)

    def delta(self, index: object, delta: dict[str, Any], events: list[ModelEvent]) -> None:
        """A piece of a block."""
        field = next((name for name in _DELTAS if delta.get(name) is not None), "")
        if field and delta[field] == "":
            return
        block = self._block_of(as_int(index), _DELTAS[field]) if field else None
        if block is None:
            # Citations, and what is about the server's own tools.
            log_skipped()
        elif field == "text":
            self._add_text(block, as_text(delta[field]), events)
        elif field == "thinking":
            self._add_thought(block, as_text(delta[field]), events)
        elif field == "signature":
            block.signature = as_text(delta[field]) or block.signature
            self.size += len(block.signature)
        else:
            self._add_piece(block, arguments_text(delta[field]))

    def _add(self, index: int | None, block: AnthropicBlock) -> AnthropicBlock:
        if block.kind in _THOUGHTS:
            self.size += 1 + sum(map(len, block.start.values()))
        return super()._add(index, block)

    def _block_of(self, index: int | None, kind: str) -> AnthropicBlock | None:
        """The block that a piece of this kind belongs to; ``None`` when it is of no use."""
        block = self._block_at(index)
        if block is not None and block.kind == kind:
            return block
        if block is not None and block.kind not in _KNOWN_KINDS:
            return None
        last = self._all[-1] if self._all else None
        if last is not None and last.kind == kind and not last.closed:
            # Its index is wrong.
            return last
        return self._add(index, AnthropicBlock({"type": kind}))


def _kind_by_field(start: dict[str, Any]) -> str:
    """What a block is that does not name its type."""
    if "name" in start or "input" in start:
        return "tool_use"
    return "thinking" if "thinking" in start else "text"
