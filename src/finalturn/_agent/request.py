"""Adapts a request to what a provider can do: tools as text, and images named, where it takes none."""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

from finalturn._core.messages import Message
from finalturn._core.model import Capabilities, ModelRequest
from finalturn._core.textcalls import as_text

# Called for each message of a long history: without a frame of Python for each.
_PARTS = attrgetter("content_parts")
_UNSEEN = "[an image that this model cannot see]"


def adapt(request: ModelRequest, capabilities: Capabilities) -> ModelRequest:
    """The same request: tools and calls as text, and images named, where the provider takes none."""
    if not capabilities.images and any(map(_PARTS, request.messages)):
        request = replace(request, messages=[_without_images(message) for message in request.messages])
    return request if capabilities.native_tools else as_text(request)


def _without_images(message: Message) -> Message:
    if not message.content_parts:
        return message
    content = f"{message.content}\n{_UNSEEN}" if message.content else _UNSEEN
    return replace(message, content=content, content_parts=())
