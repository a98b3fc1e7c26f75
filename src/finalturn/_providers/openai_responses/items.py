"""Reads the items of a Responses answer, however much of an item a server leaves out. Pure.

The shapes are those of OpenAI's reference, "Responses" and "Responses streaming events".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn._core import json_text
from finalturn._providers.json_types import as_array, as_object, as_text

# Fields of a reasoning item that servers want back and that are plain text. The last two are OpenRouter's.
_OPAQUE = ("encrypted_content", "format", "signature")


def message_text(item: dict[str, Any]) -> str:
    """The text of a message, refusals included."""
    content = item.get("content")
    if isinstance(content, str):
        return content
    return "".join(as_text(part.get("text") or part.get("refusal")) for part in _parts(content))


def refuses(item: dict[str, Any]) -> bool:
    """Whether a message is a refusal, or holds one."""
    return any(part.get("type") == "refusal" for part in _parts(item.get("content")))


def reasoning_text(item: dict[str, Any]) -> str:
    """What a reasoning item shows: its text, else the summary of it."""
    text = "".join(as_text(part.get("text")) for part in _parts(item.get("content")))
    return text or "".join(as_text(part.get("text")) for part in _parts(item.get("summary")))


def replayable(item: dict[str, Any]) -> dict[str, Any] | None:
    """A reasoning item in the form in which it is sent back; ``None`` when it holds nothing to send.

    Built anew from plain text, so that it can be kept with a call whatever the server has put into it. An
    item without its encrypted content and without its text means nothing to a server that has not stored it.
    """
    content = _texts(item.get("content"), "reasoning_text")
    opaque = {name: json_text.without_surrogates(as_text(item.get(name))) for name in _OPAQUE}
    if not content and not opaque["encrypted_content"]:
        return None
    replayed: dict[str, Any] = {"type": "reasoning", "summary": _texts(item.get("summary"), "summary_text")}
    if item_id := as_text(item.get("id")):
        replayed["id"] = json_text.without_surrogates(item_id)
    if content:
        replayed["content"] = content
    replayed.update((name, text) for name, text in opaque.items() if text)
    return replayed


def _parts(value: object) -> Iterator[dict[str, Any]]:
    return map(as_object, as_array(value))


def _texts(parts: object, kind: str) -> list[dict[str, str]]:
    texts = (json_text.without_surrogates(as_text(part.get("text"))) for part in _parts(parts))
    return [{"type": kind, "text": text} for text in texts if text]
