"""The content blocks of a Messages answer, as they come in: text and thoughts at once, calls at the end.

Servers leave out indexes, ends and even beginnings of blocks, give every block the index 0, or put all of
a block into its beginning; what is done then is written beside each rule. A piece of a call that belongs
to no known call makes one without a name, which is answered with an error and never run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.anthropic.message import arguments_text
from finalturn._providers.json_types import as_int, as_text

# Blocks that the vendor wants back as they were.
THOUGHTS = ("thinking", "redacted_thinking")
_KEPT_WHOLE = ("tool_use", *THOUGHTS)
_OURS = ("text", "tool_use", *THOUGHTS)

# What a delta holds: its kind, and of which kind of block it is a piece. Some servers leave out its type.
_DELTAS = {"text": "text", "thinking": "thinking", "signature": "thinking", "partial_json": "tool_use"}

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


class Blocks:
    """All blocks of one answer.

    Attributes:
        size: about how many characters of text, thoughts and calls there are.
    """

    def __init__(self) -> None:
        self.size = 0
        self._all: list[Block] = []
        self._at: dict[int, Block] = {}

    def start(self, index: object, given: dict[str, Any], events: list[ModelEvent]) -> None:
        """A block begins; all of it may be there already."""
        block = self._add(as_int(index), Block(given))
        kind = block.kind
        if kind == "text":
            self._say(block, given.get("text"), events)
        elif kind == "thinking":
            self._think(block, given.get("thinking"), events)
        elif kind == "tool_use":
            text = arguments_text(given.get("input"))
            # The vendor itself begins with an empty object, whatever follows.
            self._keep(block, "" if text == "{}" else text)

    def delta(self, index: object, given: dict[str, Any], events: list[ModelEvent]) -> None:
        """A piece of a block."""
        field = next((name for name in _DELTAS if given.get(name) is not None), "")
        if field and given[field] == "":
            return
        block = self._block(as_int(index), _DELTAS[field]) if field else None
        if block is None:
            # Citations, and what is about the server's own tools.
            log_skipped()
        elif field == "text":
            self._say(block, given[field], events)
        elif field == "thinking":
            self._think(block, given[field], events)
        elif field == "signature":
            block.signature = as_text(given[field]) or block.signature
            self.size += len(block.signature)
        else:
            self._keep(block, arguments_text(given[field]))

    def stop(self, index: object) -> None:
        """A block is complete."""
        block = self._found(as_int(index))
        if block is not None:
            block.closed = True

    def calls(self, data: Mapping[str, Any] | None) -> Iterator[ToolCallDelta]:
        """The calls, whole.

        Args:
            data: what the provider wants back with them, kept with the first.
        """
        blocks = (block for block in self._all if block.kind == "tool_use")
        for number, block in enumerate(blocks):
            yield block.call(number, None if number else data)

    @property
    def has_calls(self) -> bool:
        """Whether the model asks for a tool."""
        return any(block.kind == "tool_use" for block in self._all)

    def layout(self) -> list[Any]:
        """Where the thoughts stand: themselves, the length of text between them, ``None`` for a call.

        Empty without thoughts. It ends before the first block that is not kept: a thought is bound to all
        that stands before it.
        """
        found: list[Any] = []
        for block in self._all:
            if block.kind in THOUGHTS:
                found.append(block.thought())
            elif block.kind == "tool_use":
                found.append(None)
            elif block.kind != "text":
                break
            elif found and isinstance(found[-1], int):
                found[-1] += block.length
            elif block.length:
                found.append(block.length)
        return found if any(isinstance(entry, dict) for entry in found) else []

    def _add(self, index: int | None, block: Block) -> Block:
        self._all.append(block)
        if index is not None:
            self._at[index] = block
        if block.kind in _KEPT_WHOLE:
            self.size += 1 + sum(map(len, block.given.values()))
        return block

    def _found(self, index: int | None) -> Block | None:
        if index is not None:
            return self._at.get(index)
        return self._all[-1] if self._all else None

    def _block(self, index: int | None, kind: str) -> Block | None:
        """The block that a piece of this kind belongs to; ``None`` when it is of no use."""
        found = self._found(index)
        if found is not None and found.kind == kind:
            return found
        if found is not None and found.kind not in _OURS:
            return None
        last = self._all[-1] if self._all else None
        if last is not None and last.kind == kind and not last.closed:
            # Its index is wrong.
            return last
        return self._add(index, Block({"type": kind}))

    def _say(self, block: Block, given: object, events: list[ModelEvent]) -> None:
        text = as_text(given)
        if text:
            block.length += len(text)
            self.size += len(text)
            events.append(TextDelta(text))

    def _think(self, block: Block, given: object, events: list[ModelEvent]) -> None:
        text = as_text(given)
        self._keep(block, text)
        if text:
            events.append(ReasoningDelta(text))

    def _keep(self, block: Block, text: str) -> None:
        if text:
            block.pieces.append(text)
            self.size += len(text)
