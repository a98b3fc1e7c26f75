"""The content blocks of a Converse answer.

Only blocks of calls have a beginning of their own. What is done where an index, a beginning or an end is
missing or wrong is written beside each rule.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any, ClassVar, Literal, TypeAlias

from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.blocks.blocks import AnswerBlock, AnswerBlocks
from finalturn._providers.json_types import arguments_text, as_array, as_int, as_object, as_text

Kind: TypeAlias = Literal["text", "toolUse", "reasoningContent", "other"]
"""What a block is. Any other holds nothing that is kept."""


class BedrockBlock(AnswerBlock):
    """One block of a Converse answer.

    Attributes:
        redacted: pieces of a thought that is only there for the vendor, each as base64 text.
    """

    __slots__ = ("redacted",)

    def __init__(self, kind: Kind, *, id: str = "", name: str = "") -> None:
        super().__init__(kind, id=id, name=name)
        self.redacted: list[str] = []

    def thought(self) -> dict[str, Any] | None:
        """A thought as the vendor wants it back; ``None`` for one that it did not sign, and any other block.

        The text is needed, even where it is empty.
        """
        if self.redacted:
            return {"reasoningContent": {"redactedContent": _joined(self.redacted)}}
        if self.signature:
            reasoning = {"text": "".join(self.pieces), "signature": self.signature}
            return {"reasoningContent": {"reasoningText": reasoning}}
        return None


class BedrockBlocks(AnswerBlocks[BedrockBlock]):
    """All blocks of one Converse answer."""

    call_kind: ClassVar[str] = "toolUse"

    def start(self, index: object, start: dict[str, Any]) -> None:
        """A block begins. One without a kind is made by its first piece."""
        tool = as_object(start.get("toolUse"))
        if tool and not _runs_there(tool):
            call = BedrockBlock("toolUse", id=as_text(tool.get("toolUseId")), name=as_text(tool.get("name")))
            self._add(as_int(index), call)
        elif start:
            # A call of a tool that runs in the service, its result, or an image.
            self._add(as_int(index), BedrockBlock("other"))
            log_skipped()

    def delta(self, index: object, delta: dict[str, Any], events: list[ModelEvent]) -> None:
        """A piece of a block."""
        place = as_int(index)
        tool, reasoning = delta.get("toolUse"), delta.get("reasoningContent")
        if delta.get("text") is not None:
            self._take_text(place, delta["text"], events)
        elif tool is not None:
            self._take_arguments(place, arguments_text(as_object(tool).get("input")))
        elif reasoning is not None:
            self._take_reasoning(place, as_object(reasoning), events)
        else:
            # Citations, and what is about the service's own tools.
            log_skipped()

    def whole(self, block: dict[str, Any], events: list[ModelEvent]) -> None:
        """A block of a whole answer."""
        reasoning = as_object(block.get("reasoningContent"))
        if block.get("text") is not None:
            self._take_text(None, block["text"], events)
        elif cited := as_object(block.get("citationsContent")):
            for part in as_array(cited.get("content")):
                self._take_text(None, as_object(part).get("text"), events)
        elif reasoning:
            self._take_reasoning(None, as_object(reasoning.get("reasoningText")) | reasoning, events)
        else:
            self.start(None, block)
            self._take_arguments(None, arguments_text(as_object(block.get("toolUse")).get("input")))
        self.stop(None)

    def _block_of(self, index: int | None, kind: Kind) -> BedrockBlock:
        """The block that a piece of this kind belongs to."""
        block = self._block_at(index)
        if kind != "toolUse":
            fits = block is not None and block.kind == kind and not block.closed
            return block if block is not None and fits else self._add(index, BedrockBlock(kind))
        if block is not None and block.kind == kind:
            # Even where its end has come: it must not run with less than all of its arguments.
            return block
        last = self._all[-1] if self._all else None
        if last is not None and last.kind == kind and not last.closed:
            # The index is wrong.
            return last
        return self._add(index, BedrockBlock(kind))

    def _take_text(self, index: int | None, value: object, events: list[ModelEvent]) -> None:
        if text := as_text(value):
            self._add_text(self._block_of(index, "text"), text, events)

    def _take_arguments(self, index: int | None, text: str) -> None:
        block = self._block_at(index)
        if text and (block is None or block.kind != "other"):
            self._add_piece(self._block_of(index, "toolUse"), text)

    def _take_reasoning(self, index: int | None, piece: dict[str, Any], events: list[ModelEvent]) -> None:
        text, signature = as_text(piece.get("text")), as_text(piece.get("signature"))
        redacted = as_text(piece.get("redactedContent"))
        if not (text or signature or redacted):
            return
        block = self._block_of(index, "reasoningContent")
        block.signature += signature
        if redacted:
            block.redacted.append(redacted)
        self.size += len(signature) + len(redacted)
        self._add_thought(block, text, events)


def _runs_there(tool: dict[str, Any]) -> bool:
    """Whether the call is of a tool that the service runs itself."""
    return tool.get("type") == "server_tool_use"


def _joined(pieces: list[str]) -> str:
    if len(pieces) == 1:
        return pieces[0]
    try:
        return b64encode(b"".join(map(b64decode, pieces))).decode()
    except ValueError:
        return "".join(pieces)
