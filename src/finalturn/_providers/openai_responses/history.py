"""A conversation as the input items of a Responses request. Pure.

The forms are those of OpenAI's reference, "Create a response", which compatible servers read most strictly:
what the model has said is an output message, with an id, as some servers refuse it as anything else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from finalturn._core.history import repaired
from finalturn._core.messages import ContentPart, Message, Role
from finalturn._providers.json_types import as_text
from finalturn._providers.openai_responses.replay import items_before_call

# What the reference allows for the id of a call.
MAX_CALL_ID = 64


def input_items(messages: Sequence[Message], origin: str, *, replay: bool) -> list[dict[str, Any]]:
    """The items of a conversation.

    Args:
        origin: the server and model that are asked, as `origin_of` names them.
        replay: send back the reasoning that came before calls.
    """
    view = repaired(messages)
    encoder = _Encoder(origin, replay=replay, phased=_is_phased(view, origin))
    for message in view:
        encoder.add(message)
    encoder.flush()
    return encoder.items


def _is_phased(messages: Sequence[Message], origin: str) -> bool:
    """Whether the model marks its messages as commentary or final answer, as far as can be seen here."""
    calls = (call for message in messages for call in message.tool_calls)
    return any("phase" in item for call in calls for item in items_before_call(call, origin))


class _Encoder:
    def __init__(self, origin: str, *, replay: bool, phased: bool) -> None:
        self.items: list[dict[str, Any]] = []
        self._origin = origin
        self._replay = replay
        self._phased = phased
        # Only a USER message can show images: those of another message follow it, behind its tool results.
        self._images: list[ContentPart] = []

    def add(self, message: Message) -> None:
        if message.role is not Role.TOOL:
            self.flush()
        if message.role is Role.USER:
            self.items.append(_user(message))
            return
        self._images.extend(message.content_parts)
        if message.role is Role.TOOL:
            call_id = _call_id(message.tool_call_id)
            output = {"type": "function_call_output", "call_id": call_id, "output": message.content}
            self.items.append(output)
        elif message.tool_calls:
            self._ask(message)
        elif message.content and message.role is Role.ASSISTANT:
            self._say(message.content, "final_answer" if self._phased else "")
        elif message.content:
            self.items.append({"role": "system", "content": message.content})

    def flush(self) -> None:
        """Show the images that have been put off."""
        if self._images:
            self.items.append({"role": "user", "content": [_image(part) for part in self._images]})
            self._images = []

    def _ask(self, message: Message) -> None:
        """Add a message with calls: its text where it stood, or else first."""
        items_before = [items_before_call(call, self._origin) for call in message.tool_calls]
        text = message.content
        if text and not any(item.get("type") == "message" for items in items_before for item in items):
            self._say(text, "")
            text = ""
        for call, items in zip(message.tool_calls, items_before, strict=True):
            for item in items:
                if item.get("type") != "message":
                    if self._replay:
                        self.items.append(item)
                elif text:
                    self._say(text, as_text(item.get("phase")))
                    text = ""
            asked = {"call_id": _call_id(call.id), "name": call.name, "arguments": call.arguments_json()}
            self.items.append({"type": "function_call", **asked})

    def _say(self, text: str, phase: str) -> None:
        item: dict[str, Any] = {
            "type": "message",
            "id": f"msg_{len(self.items)}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        if phase:
            item["phase"] = phase
        self.items.append(item)


def _user(message: Message) -> dict[str, Any]:
    if not message.content_parts:
        return {"role": "user", "content": message.content}
    text = [{"type": "input_text", "text": message.content}] if message.content else []
    return {"role": "user", "content": [*text, *map(_image, message.content_parts)]}


def _image(part: ContentPart) -> dict[str, Any]:
    url = f"data:{part.media_type};base64,{part.data}" if part.url is None else part.url
    return {"type": "input_image", "image_url": url, "detail": "auto"}


def _call_id(call_id: str | None) -> str:
    full_id = call_id or ""
    if len(full_id) <= MAX_CALL_ID:
        return full_id
    # Another vendor's. The same for a call and its result.
    return "call_" + hashlib.sha256(full_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
