"""The content blocks of a Converse answer, as they come in: text and thoughts at once, calls at the end.

Only blocks of calls have a beginning of their own. What is done where an index, a beginning or an end is
missing or wrong is written beside each rule. A piece of a call that belongs to no known call makes one
without a name, which is answered with an error and never run.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.bedrock.message import arguments_text
from finalturn._providers.json_types import as_array, as_int, as_object, as_text

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


class Blocks:
    """All blocks of one answer.

    Attributes:
        size: about how many characters of text, thoughts and calls there are.
    """

    def __init__(self) -> None:
        self.size = 0
        self._all: list[Block] = []
        self._at: dict[int, Block] = {}

    def start(self, index: object, given: dict[str, Any]) -> None:
        """A block begins. One without a kind is made by its first piece."""
        tool = as_object(given.get("toolUse"))
        if tool and not _runs_there(tool):
            call = Block("toolUse", id=as_text(tool.get("toolUseId")), name=as_text(tool.get("name")))
            self._add(as_int(index), call)
        elif given:
            # A call of a tool that runs in the service, its result, or an image.
            self._add(as_int(index), Block("other"))
            log_skipped()

    def delta(self, index: object, given: dict[str, Any], events: list[ModelEvent]) -> None:
        """A piece of a block."""
        place = as_int(index)
        tool, reasoning = given.get("toolUse"), given.get("reasoningContent")
        if given.get("text") is not None:
            self._say(place, given["text"], events)
        elif tool is not None:
            self._argue(place, arguments_text(as_object(tool).get("input")))
        elif reasoning is not None:
            self._think(place, as_object(reasoning), events)
        else:
            # Citations, and what is about the service's own tools.
            log_skipped()

    def stop(self, index: object) -> None:
        """A block is complete."""
        block = self._found(as_int(index))
        if block is not None:
            block.closed = True

    def whole(self, given: dict[str, Any], events: list[ModelEvent]) -> None:
        """A block of a whole answer."""
        reasoning = as_object(given.get("reasoningContent"))
        if given.get("text") is not None:
            self._say(None, given["text"], events)
        elif cited := as_object(given.get("citationsContent")):
            for part in as_array(cited.get("content")):
                self._say(None, as_object(part).get("text"), events)
        elif reasoning:
            self._think(None, as_object(reasoning.get("reasoningText")) | reasoning, events)
        else:
            self.start(None, given)
            self._argue(None, arguments_text(as_object(given.get("toolUse")).get("input")))
        self.stop(None)

    def calls(self, data: Mapping[str, Any] | None) -> Iterator[ToolCallDelta]:
        """The calls, whole.

        Args:
            data: what the vendor wants back with them, kept with the first.
        """
        blocks = (block for block in self._all if block.kind == "toolUse")
        for number, block in enumerate(blocks):
            yield block.call(number, None if number else data)

    @property
    def has_calls(self) -> bool:
        """Whether the model asks for a tool."""
        return any(block.kind == "toolUse" for block in self._all)

    def layout(self) -> list[Any]:
        """Where the thoughts stand: themselves, the length of text between them, ``None`` for a call.

        Empty without thoughts. It ends before the first block that cannot go back: a thought is bound to
        all that stands before it.
        """
        found: list[Any] = []
        for block in self._all:
            if block.kind == "toolUse":
                found.append(None)
            elif block.kind == "text":
                if found and isinstance(found[-1], int):
                    found[-1] += block.length
                else:
                    found.append(block.length)
            elif block.kind == "reasoningContent" and (thought := block.thought()) is not None:
                found.append(thought)
            else:
                break
        return found if any(isinstance(entry, dict) for entry in found) else []

    def _add(self, index: int | None, block: Block) -> Block:
        self._all.append(block)
        if index is not None:
            self._at[index] = block
        if block.kind == "toolUse":
            self.size += 1 + len(block.id) + len(block.name)
        return block

    def _found(self, index: int | None) -> Block | None:
        if index is not None:
            return self._at.get(index)
        return self._all[-1] if self._all else None

    def _block(self, index: int | None, kind: Kind) -> Block:
        """The block that a piece of this kind belongs to."""
        found = self._found(index)
        if kind != "toolUse":
            fits = found is not None and found.kind == kind and not found.closed
            return found if found is not None and fits else self._add(index, Block(kind))
        if found is not None and found.kind == kind:
            # Even where its end has come: it must not run with less than all of its arguments.
            return found
        last = self._all[-1] if self._all else None
        if last is not None and last.kind == kind and not last.closed:
            # The index is wrong.
            return last
        return self._add(index, Block(kind))

    def _say(self, index: int | None, given: object, events: list[ModelEvent]) -> None:
        text = as_text(given)
        if text:
            self._block(index, "text").length += len(text)
            self.size += len(text)
            events.append(TextDelta(text))

    def _argue(self, index: int | None, text: str) -> None:
        found = self._found(index)
        if text and (found is None or found.kind != "other"):
            self._keep(self._block(index, "toolUse"), text)

    def _think(self, index: int | None, given: dict[str, Any], events: list[ModelEvent]) -> None:
        text, signature = as_text(given.get("text")), as_text(given.get("signature"))
        redacted = as_text(given.get("redactedContent"))
        if not (text or signature or redacted):
            return
        block = self._block(index, "reasoningContent")
        block.signature += signature
        if redacted:
            block.redacted.append(redacted)
        self.size += len(signature) + len(redacted)
        if text:
            self._keep(block, text)
            events.append(ReasoningDelta(text))

    def _keep(self, block: Block, text: str) -> None:
        block.pieces.append(text)
        self.size += len(text)


def _runs_there(tool: dict[str, Any]) -> bool:
    """Whether the call is of a tool that the service runs itself."""
    return tool.get("type") == "server_tool_use"
