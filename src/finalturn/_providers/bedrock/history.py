"""A conversation as the messages of a Converse request.

They alternate, the first and the last are the user's, no text is blank, and all results of an answer stand
in the one message behind it. The service refuses a request with calls in it that declares no tools, and it
cannot be told that none may be called. So where there are no tools, calls are told in words.
"""

from __future__ import annotations

import re
from typing import Any

from finalturn._core.messages import Message, Role, ToolCall
from finalturn._providers.bedrock.families import Family
from finalturn._providers.bedrock.images import image_block
from finalturn._providers.blocks.replay import Prefix, Thoughts

# What stands where the API wants words and there are none.
BEGIN = "(The conversation begins.)"
BETWEEN = "(The results are in.)"
CONTINUE = "Continue."
EMPTY = "(The result is empty.)"
FAILED = "The tool failed."

# The reference's `ToolUseBlock`, and of the characters those that every vendor's models take.
_LONGEST_ID = 64
_NOT_ID = re.compile(r"[^a-zA-Z0-9_-]")


class History:
    """Takes the messages of a repaired conversation, in order. SYSTEM messages have no place in it.

    Args:
        prefix: of what stands before the messages.
        family: what the model takes.
        native: tools are declared, so calls stand as calls.
        thoughts: send thoughts back.
        anywhere: the model does not mind what stands before a thought, but that it is missing.

    Attributes:
        carries: a thought goes back.
    """

    def __init__(
        self, prefix: Prefix, *, family: Family, native: bool, thoughts: bool, anywhere: bool
    ) -> None:
        self.carries = False
        self._prefix = prefix
        self._family = family
        self._native = native
        self._thoughts = thoughts
        self._anywhere = anywhere
        self._messages: list[dict[str, Any]] = []
        # How many of them the prefix covers.
        self._covered = 0
        # Images that only a user can show, which follow the message or the results they belong to.
        self._images: list[dict[str, Any]] = []
        self._used: set[str] = set()
        # The calls of the last answer, each with the id that it is sent with.
        self._calls: dict[str, tuple[ToolCall, str]] = {}

    def add(self, message: Message) -> None:
        """Take the next message."""
        images = [image_block(part) for part in message.content_parts]
        if message.role is Role.TOOL:
            self._add_result(message, images)
            return
        if self._images:
            images_before, self._images = self._images, []
            self._append("user", images_before)
        if message.role is Role.USER:
            self._append("user", [*text_blocks(message.content), *images])
            return
        self._images = images
        if message.role is Role.ASSISTANT:
            self._append("assistant", self._answer(message))

    def finish(self) -> list[dict[str, Any]]:
        """The messages. The prefix can be extended to all of them by `cover`."""
        self._append("user", self._images)
        if not self._messages or self._messages[-1]["role"] == "assistant":
            self._append("user", text_blocks(CONTINUE if self._messages else BEGIN))
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
            self._messages.append({"role": "user", "content": text_blocks(BEGIN)})
        if self._messages and self._messages[-1]["role"] == role:
            content: list[dict[str, Any]] = self._messages[-1]["content"]
            if not (self._family.alone and "toolResult" in content[-1] and "toolResult" not in blocks[0]):
                content += blocks
                return
            self._messages.append({"role": "assistant", "content": text_blocks(BETWEEN)})
        self._messages.append({"role": role, "content": blocks})

    def _answer(self, message: Message) -> list[dict[str, Any]]:
        self._calls = {call.id or "": (call, self._id(call)) for call in message.tool_calls}
        if not self._native:
            return text_blocks(message.content)
        calls = [_use(call, call_id) for call, call_id in self._calls.values()]
        thoughts = Thoughts(message)
        follows = self._messages and self._messages[-1]["role"] == "user"
        if self._thoughts and thoughts and follows and thoughts.fit(self.cover(), anywhere=self._anywhere):
            self.carries = True
            return [
                {"text": block["text"]} if "text" in block else block
                for block in thoughts.around(message.content, calls)
            ]
        return [*text_blocks(message.content), *calls]

    def _id(self, call: ToolCall) -> str:
        known = _NOT_ID.sub("_", call.id or "")[:_LONGEST_ID] or "call"
        found, number = known, 2
        while found in self._used:
            ending = f"_{number}"
            found, number = known[: _LONGEST_ID - len(ending)] + ending, number + 1
        self._used.add(found)
        return found

    def _add_result(self, message: Message, images: list[dict[str, Any]]) -> None:
        failed = message.tool_result is None
        text = message.content if message.content.strip() else FAILED if failed else EMPTY
        call, call_id = self._calls[message.tool_call_id or ""]
        if not self._native:
            self._append("user", [{"text": _told(call, text)}, *images])
            return
        shown = images if self._family.status else []
        if not shown:
            self._images += images
        result: dict[str, Any] = {"toolUseId": call_id, "content": [{"text": text}, *shown]}
        if failed and self._family.status:
            result["status"] = "error"
        self._append("user", [{"toolResult": result}])


def text_blocks(text: str) -> list[dict[str, Any]]:
    """The text as a block. A text that is blank is refused, and is none."""
    return [] if not text or text.isspace() else [{"text": text}]


def _use(call: ToolCall, call_id: str) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": call_id, "name": call.name, "input": call.arguments}}


def _told(call: ToolCall, result: str) -> str:
    arguments = "" if call.error else f" with {call.arguments_json()}"
    return f"Note: the tool {call.name} was called{arguments}. Its result:\n\n{result}"
