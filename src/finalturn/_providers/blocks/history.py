"""A conversation as messages of content blocks, which the user begins and ends.

Messages and Converse want the same of a conversation: roles alternate, no text is blank, all results stand at
the beginning of the message behind their calls, and each call has an id that no other has, of the characters
``A-Z a-z 0-9 _ -``. How a block is written is each format's own: see the subclasses.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.blocks.replay import Prefix, Thoughts

# What stands where the API wants words and there are none.
BEGIN = "(The conversation begins.)"
BETWEEN = "(The results are in.)"
CONTINUE = "Continue."
FAILED = "The tool failed."

_NOT_ID = re.compile(r"[^a-zA-Z0-9_-]")


class BlockHistory(ABC):
    """Takes the messages of a repaired conversation, in order. SYSTEM messages have no place in it.

    Args:
        prefix: of what stands before the messages.
        thoughts: send thoughts back.
        anywhere: the model does not mind what stands before a thought, but that it is missing.

    Attributes:
        carries: a thought goes back.
    """

    longest_id: ClassVar[int] = sys.maxsize

    def __init__(self, prefix: Prefix, *, thoughts: bool, anywhere: bool) -> None:
        self.carries = False
        self._prefix = prefix
        self._thoughts = thoughts
        self._anywhere = anywhere
        self._messages: list[dict[str, Any]] = []
        # How many of them the prefix covers.
        self._covered = 0
        # Images that only a user can show, which follow the message or the results they belong to.
        self._images: list[dict[str, Any]] = []
        self._used_ids: set[str] = set()

    @abstractmethod
    def _text_blocks(self, text: str) -> list[dict[str, Any]]:
        """A text as a block; none where it is blank, as that is refused."""

    @abstractmethod
    def _image_block(self, part: ContentPart) -> dict[str, Any]:
        """An image as a block."""

    @abstractmethod
    def _call_block(self, call: ToolCall) -> dict[str, Any]:
        """A call as a block, with an id from `_unique_id`."""

    @abstractmethod
    def _add_result(self, message: Message, images: list[dict[str, Any]]) -> None:
        """Append the result of a call."""

    def add(self, message: Message) -> None:
        """Take the next message."""
        images = [self._image_block(part) for part in message.content_parts]
        if message.role is Role.TOOL:
            self._add_result(message, images)
            return
        if self._images:
            images_before, self._images = self._images, []
            self._append("user", images_before)
        if message.role is Role.USER:
            self._append("user", [*self._text_blocks(message.content), *images])
            return
        self._images = images
        if message.role is Role.ASSISTANT:
            self._append("assistant", self._answer(message))

    def finish(self) -> list[dict[str, Any]]:
        """The messages. The prefix can be extended to all of them by `cover`."""
        self._append("user", self._images)
        if not self._messages or self._messages[-1]["role"] == "assistant":
            self._append("user", self._text_blocks(CONTINUE if self._messages else BEGIN))
        return self._messages

    def cover(self) -> Prefix:
        """The prefix, extended to all messages so far, which must not change any more."""
        self._prefix.add(*self._messages[self._covered :])
        self._covered = len(self._messages)
        return self._prefix

    def _append(self, role: str, blocks: list[dict[str, Any]]) -> None:
        if not blocks:
            return
        if not self._messages and role == "assistant":
            self._messages.append({"role": "user", "content": self._text_blocks(BEGIN)})
        if self._messages and self._messages[-1]["role"] == role:
            content: list[dict[str, Any]] = self._messages[-1]["content"]
            if self._may_share_message(content, blocks):
                content += blocks
                return
            self._messages.append({"role": "assistant", "content": self._text_blocks(BETWEEN)})
        self._messages.append({"role": role, "content": blocks})

    def _may_share_message(self, content: list[dict[str, Any]], blocks: list[dict[str, Any]]) -> bool:
        """Whether blocks of the same role may follow what is in the last message."""
        return True

    def _answer(self, message: Message) -> list[dict[str, Any]]:
        calls = [self._call_block(call) for call in message.tool_calls]
        thoughts = Thoughts(message)
        follows = self._messages and self._messages[-1]["role"] == "user"
        if self._thoughts and thoughts and follows and thoughts.fit(self.cover(), anywhere=self._anywhere):
            self.carries = True
            return thoughts.around(message.content, calls, self._text_blocks)
        return [*self._text_blocks(message.content), *calls]

    def _unique_id(self, call_id: str) -> str:
        """An id that the API takes, and that no call before has."""
        base = _NOT_ID.sub("_", call_id)[: self.longest_id] or "call"
        unique, number = base, 2
        while unique in self._used_ids:
            ending = f"_{number}"
            unique, number = base[: self.longest_id - len(ending)] + ending, number + 1
        self._used_ids.add(unique)
        return unique
