"""A conversation as the messages of a Messages request.

After the Messages reference, Anthropic's page "Handle tool calls", and what the API says when it refuses a
request. It wants

- the user to begin and, with newer models, to be the last to speak; some servers want roles to alternate;
- no blank text, and no image from the assistant or from a tool that failed;
- all results at the beginning of the message behind their calls;
- an id for each call that no other call has, of the characters ``A-Z a-z 0-9 _ -``.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._providers.blocks.replay import Prefix, Thoughts, text_blocks

# What stands where the API wants a user's words and there are none.
BEGIN = "(The conversation begins.)"
CONTINUE = "Continue."
FAILED = "The tool failed."

_NOT_ID = re.compile(r"[^a-zA-Z0-9_-]")


class History:
    """Takes the messages of a repaired conversation, in order. SYSTEM messages have no place in it.

    Args:
        prefix: of what stands before the messages.
        thoughts: send thoughts back.
        anywhere: the model does not mind what stands before a thought, but that it is missing.

    Attributes:
        carries: a thought goes back.
    """

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
        self._used: set[str] = set()
        self._ids: dict[str, str] = {}

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
            self._messages[-1]["content"] += blocks
        else:
            self._messages.append({"role": role, "content": blocks})

    def _answer(self, message: Message) -> list[dict[str, Any]]:
        calls = [self._call(call) for call in message.tool_calls]
        thoughts = Thoughts(message)
        follows = self._messages and self._messages[-1]["role"] == "user"
        if self._thoughts and thoughts and follows and thoughts.fit(self.cover(), anywhere=self._anywhere):
            self.carries = True
            return thoughts.around(message.content, calls)
        return [*text_blocks(message.content), *calls]

    def _call(self, call: ToolCall) -> dict[str, Any]:
        given = call.id or ""
        known = _NOT_ID.sub("_", given) or "call"
        found, number = known, 2
        while found in self._used:
            found, number = f"{known}_{number}", number + 1
        self._used.add(found)
        self._ids[given] = found
        return {"type": "tool_use", "id": found, "name": call.name, "input": call.arguments}

    def _add_result(self, message: Message, images: list[dict[str, Any]]) -> None:
        failed = message.tool_result is None
        given = message.tool_call_id or ""
        text = "" if message.content.isspace() else message.content
        content: Any = text or (FAILED if failed else "")
        if failed:
            self._images += images
        elif images:
            content = [*text_blocks(text), *images]
        block = {"type": "tool_result", "tool_use_id": self._ids.get(given, given), "content": content}
        self._append("user", [block | {"is_error": True} if failed else block])


def image_block(part: ContentPart) -> dict[str, Any]:
    """An image. A ``data:`` address (RFC 2397) is not one that the API follows: its data is sent."""
    data, media_type = part.data, part.media_type or ""
    url = part.url or ""
    if url[:5].lower() == "data:" and "," in url:
        head, _, body = url[5:].partition(",")
        media_type, *options = head.split(";")
        plain = unquote_to_bytes(body)
        encoded = options and options[-1].strip().lower() == "base64"
        data = plain.decode("ascii", "replace") if encoded else base64.b64encode(plain).decode()
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    media_type = media_type.strip().lower().replace("image/jpg", "image/jpeg")
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def called_names(messages: Sequence[Message]) -> list[str]:
    """The names of all tools that are called in a conversation."""
    return list(dict.fromkeys(call.name for message in messages for call in message.tool_calls))
