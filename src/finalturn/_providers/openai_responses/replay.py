"""Keeps with a call the reasoning and text before it, which a Responses server wants back. Pure.

OpenAI's guide "Reasoning models" asks for the reasoning items that precede a call to be sent back with it,
in their order, and its reference asks for the phase of each message of the model's. Both ride on the call.
They mean something to the server and the model that they come from, and others refuse them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from finalturn._core.messages import ToolCall
from finalturn._providers.json_types import as_array, as_object, as_text
from finalturn._providers.openai_responses.place import Item

KEY = "responses"


def origin_of(url: str, model: str) -> str:
    """What tells a server and model from others, and gives neither away to who sees the conversation."""
    parts = urlsplit(url)
    named = f"{parts.hostname}:{parts.port} {parts.path} {model}"
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def replay_data(before: Sequence[Item], origin: str) -> dict[str, Any] | None:
    """The data of a call.

    Args:
        before: the items between the call before it and the call itself.
        origin: the server and model that they come from.
    """
    items = list(_replay_items(before))
    if all(item == {"type": "message"} for item in items):
        return None
    return {KEY: {"origin": origin, "before": items}}


def _replay_items(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    for item in items:
        if item.replay is not None:
            yield item.replay
        elif item.kind == "message" and item.pieces:
            # Only where it stood: its text is the conversation's.
            yield {"type": "message", "phase": item.phase} if item.phase else {"type": "message"}


def items_before_call(call: ToolCall, origin: str) -> list[dict[str, Any]]:
    """The items that stood before a call, when they come from this server and model."""
    data = as_object(as_object(call.provider_data).get(KEY))
    if as_text(data.get("origin")) != origin:
        return []
    return [item for item in map(as_object, as_array(data.get("before"))) if item]
