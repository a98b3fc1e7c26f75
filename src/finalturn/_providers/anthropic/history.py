"""A conversation as the messages of a Messages request.

After the Messages reference, Anthropic's page "Handle tool calls", and what the API says when it refuses a
request. Beside what all formats of blocks want, it takes no image from the assistant or from a tool that
failed. With newer models the user is the last to speak; some servers want roles to alternate.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote_to_bytes

from finalturn._core.messages import ContentPart, Message, ToolCall
from finalturn._providers.blocks.history import FAILED, BlockHistory
from finalturn._providers.blocks.replay import Prefix


class AnthropicHistory(BlockHistory):
    """The messages of a Messages request."""

    def __init__(self, prefix: Prefix, *, thoughts: bool, anywhere: bool) -> None:
        super().__init__(prefix, thoughts=thoughts, anywhere=anywhere)
        # Ids as the conversation has them, and as they are sent.
        self._ids: dict[str, str] = {}

    def _text_blocks(self, text: str) -> list[dict[str, Any]]:
        return [] if not text or text.isspace() else [{"type": "text", "text": text}]

    def _image_block(self, part: ContentPart) -> dict[str, Any]:
        return image_block(part)

    def _call_block(self, call: ToolCall) -> dict[str, Any]:
        call_id = self._ids[call.id or ""] = self._unique_id(call.id or "")
        return {"type": "tool_use", "id": call_id, "name": call.name, "input": call.arguments}

    def _add_result(self, message: Message, images: list[dict[str, Any]]) -> None:
        failed = message.tool_result is None
        call_id = message.tool_call_id or ""
        text = "" if message.content.isspace() else message.content
        content: Any = text or (FAILED if failed else "")
        if failed:
            self._images += images
        elif images:
            content = [*self._text_blocks(text), *images]
        block = {"type": "tool_result", "tool_use_id": self._ids.get(call_id, call_id), "content": content}
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
