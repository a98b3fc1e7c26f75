"""A conversation as the messages of a chat completions request."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from finalturn._core import json_text
from finalturn._core.errors import ConfigurationError
from finalturn._core.history import repaired
from finalturn._core.memo import Form, memoized, memoized_plain
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._core.model import ModelRequest
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.replay import reasoning_of

_ALPHABET = string.digits + string.ascii_letters
_SIZE = 9

# What some servers send with a tool call and want back with it: a signature of the thoughts behind it.
CALL_EXTRA = "extra_content"

_PARTS = attrgetter("content_parts")


def encode_messages(request: ModelRequest, *, model: str, profile: Profile) -> Iterator[dict[str, Any]]:
    """The request's conversation, in its own order of roles.

    Raises:
        ConfigurationError: it shows an image in a way that the server cannot see.
    """
    for item in _in_order(request, repaired(request.messages), profile):
        yield _encoded(item, model, profile) if isinstance(item, Message) else item


def encode_texts(request: ModelRequest, *, model: str, profile: Profile, form: Form) -> list[bytes]:
    """The same messages, each as JSON text. What a message comes to is kept with it.

    Args:
        form: stands for the model and the profile.
    """

    def write(message: Message) -> bytes:
        return json_text.encode(_encoded(message, model, profile))

    texts = memoized_plain(request.messages, form, write, _is_plain)
    if texts is None:
        messages = repaired(request.messages)
        if any(map(_PARTS, messages)):
            return [_text(item, form, write) for item in _in_order(request, messages, profile)]
        # Without images, nothing stands between the messages, and each says something.
        texts = memoized(messages, form, write)
    return [json_text.encode(_system(request)), *texts] if request.system else texts


def _text(item: Message | dict[str, Any], form: Form, write: Callable[[Message], bytes]) -> bytes:
    if not isinstance(item, Message):
        return json_text.encode(item)
    # Images are large: kept as text, they would be there twice.
    return write(item) if item.content_parts else memoized((item,), form, write)[0]


def _is_plain(message: Message) -> bool:
    """Whether it is text and nothing else. A conversation of such messages needs no repair."""
    if message.tool_calls or message.content_parts or message.role is Role.TOOL:
        return False
    return bool(message.content) and not message.content.isspace()


def _system(request: ModelRequest) -> dict[str, Any]:
    return {"role": "system", "content": request.system}


def _in_order(
    request: ModelRequest, messages: Sequence[Message], profile: Profile
) -> Iterator[Message | dict[str, Any]]:
    """What is sent, in order: messages that are to be encoded, and what stands between them."""
    if request.system:
        yield _system(request)
    # Only a USER message can show images: those of another message follow it, behind its tool results.
    images: list[ContentPart] = []
    for message in messages:
        if images and message.role is not Role.TOOL:
            yield {"role": "user", "content": _images(images, profile)}
            images = []
        if message.role is Role.USER:
            yield message
            continue
        images.extend(message.content_parts)
        if message.content or message.tool_calls or message.role is Role.TOOL:
            yield message
    if images:
        yield {"role": "user", "content": _images(images, profile)}


def _encoded(message: Message, model: str, profile: Profile) -> dict[str, Any]:
    return _user(message, profile) if message.role is Role.USER else _message(message, model, profile)


def _message(message: Message, model: str, profile: Profile) -> dict[str, Any]:
    if message.role is Role.TOOL:
        call_id = fitting_id(message.tool_call_id or "", profile.call_ids)
        return {"role": "tool", "tool_call_id": call_id, "content": message.content}
    encoded: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.role is Role.ASSISTANT:
        encoded.update(reasoning_of(message, profile, model))
    if message.tool_calls:
        encoded["content"] = message.content or None
        encoded["tool_calls"] = [_call(call, profile) for call in message.tool_calls]
    return encoded


def _user(message: Message, profile: Profile) -> dict[str, Any]:
    if not message.content_parts:
        return {"role": "user", "content": message.content}
    text = [{"type": "text", "text": message.content}] if message.content else []
    return {"role": "user", "content": [*text, *_images(message.content_parts, profile)]}


def _call(call: ToolCall, profile: Profile) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments_json()}
    call_id = fitting_id(call.id or "", profile.call_ids)
    encoded: dict[str, Any] = {"id": call_id, "type": "function", "function": function}
    if call.provider_data is not None and CALL_EXTRA in call.provider_data:
        encoded[CALL_EXTRA] = call.provider_data[CALL_EXTRA]
    return encoded


def _images(parts: Iterable[ContentPart], profile: Profile) -> list[dict[str, Any]]:
    return [{"type": "image_url", "image_url": {"url": _address(part, profile)}} for part in parts]


def _address(part: ContentPart, profile: Profile) -> str:
    if part.url is None:
        return f"data:{part.media_type};base64,{part.data}"
    if not profile.image_urls and not part.url.lower().startswith("data:"):
        raise ConfigurationError(
            f"{profile.name} fetches no images; give the image's data, as ContentPart.image_base64"
        )
    return part.url


def fitting_id(call_id: str, accepted: re.Pattern[str]) -> str:
    """The id, or nine letters and digits in its place: the same for the same id, on calls and results."""
    if accepted.fullmatch(call_id):
        return call_id
    number = int.from_bytes(blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    digits: list[str] = []
    for _ in range(_SIZE):
        number, digit = divmod(number, len(_ALPHABET))
        digits.append(_ALPHABET[digit])
    return "".join(digits)
