"""The content blocks of one answer, as they come in: text and thoughts at once, calls at the end.

A piece of a call that belongs to no known call makes one without a name, which is answered with an error and
never run. Which pieces there are, and which block each belongs to, is each format's own: see the subclasses.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.json_types import as_int


class AnswerBlock(ABC):
    """One block under way.

    Attributes:
        kind: its type, in the format's own word.
        id: of a call.
        name: of a call's tool.
        pieces: the text of a thought, or of a call's arguments.
        length: how many characters of text it has given out.
        signature: of a thought.
        closed: its end has come.
    """

    __slots__ = ("closed", "id", "kind", "length", "name", "pieces", "signature")

    def __init__(self, kind: str, *, id: str = "", name: str = "") -> None:
        self.kind = kind
        self.id = id
        self.name = name
        self.pieces: list[str] = []
        self.length = 0
        self.signature = ""
        self.closed = False

    @abstractmethod
    def thought(self) -> dict[str, Any] | None:
        """A thought as the vendor wants it back; ``None`` for what is none, or cannot go back."""

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


BlockT = TypeVar("BlockT", bound=AnswerBlock)


class AnswerBlocks(Generic[BlockT]):
    """All blocks of one answer.

    Attributes:
        size: about how many characters of text, thoughts and calls there are.
    """

    call_kind: ClassVar[str]

    def __init__(self) -> None:
        self.size: int = 0
        self._all: list[BlockT] = []
        self._at: dict[int, BlockT] = {}

    def stop(self, index: object) -> None:
        """A block is complete."""
        block = self._block_at(as_int(index))
        if block is not None:
            block.closed = True

    def calls(self, data: Mapping[str, Any] | None) -> Iterator[ToolCallDelta]:
        """The calls, whole.

        Args:
            data: what the vendor wants back with them, kept with the first.
        """
        blocks = (block for block in self._all if block.kind == self.call_kind)
        for number, block in enumerate(blocks):
            yield block.call(number, None if number else data)

    @property
    def has_calls(self) -> bool:
        """Whether the model asks for a tool."""
        return any(block.kind == self.call_kind for block in self._all)

    def layout(self) -> list[Any]:
        """Where the thoughts stand: themselves, the length of text between them, ``None`` for a call.

        Empty without thoughts. It ends before the first block that cannot go back: a thought is bound to all
        that stands before it.
        """
        entries: list[Any] = []
        for block in self._all:
            if block.kind == self.call_kind:
                entries.append(None)
            elif block.kind == "text":
                if entries and isinstance(entries[-1], int):
                    entries[-1] += block.length
                elif block.length:
                    entries.append(block.length)
            elif (thought := block.thought()) is not None:
                entries.append(thought)
            else:
                break
        return entries if any(isinstance(entry, dict) for entry in entries) else []

    def _add(self, index: int | None, block: BlockT) -> BlockT:
        self._all.append(block)
        if index is not None:
            self._at[index] = block
        if block.kind == self.call_kind:
            self.size += 1 + len(block.id) + len(block.name)
        return block

    def _block_at(self, index: int | None) -> BlockT | None:
        """The block with an index; the last one where there is none."""
        if index is not None:
            return self._at.get(index)
        return self._all[-1] if self._all else None

    def _add_text(self, block: BlockT, text: str, events: list[ModelEvent]) -> None:
        if text:
            block.length += len(text)
            self.size += len(text)
            events.append(TextDelta(text))

    def _add_thought(self, block: BlockT, text: str, events: list[ModelEvent]) -> None:
        if text:
            self._add_piece(block, text)
            events.append(ReasoningDelta(text))

    def _add_piece(self, block: BlockT, text: str) -> None:
        if text:
            block.pieces.append(text)
            self.size += len(text)
