"""generateContent bodies, written by hand, and what a decoder makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from finalturn._core.model import ModelEvent
from finalturn._core.type_guards import is_array, is_dict
from finalturn._providers.gemini.decode import GeminiDecoder
from tests.providers._wire import Read, summary

KEY = "sk-SENTINEL"


def text(words: str, **fields: Any) -> dict[str, Any]:
    """A part with text."""
    return {"text": words, **fields}


def thought(words: str) -> dict[str, Any]:
    """A part of what the model thinks aloud."""
    return {"text": words, "thought": True}


def call(name: str, args: Any = None, *, signature: str | None = None, **fields: Any) -> dict[str, Any]:
    """A part with a call."""
    part: dict[str, Any] = {"functionCall": {"name": name, **fields}}
    if args is not None:
        part["functionCall"]["args"] = args
    return part if signature is None else {**part, "thoughtSignature": signature}


def record(*parts: Any, finish: str | None = None, usage: Any = None, **fields: Any) -> dict[str, Any]:
    """A record with one candidate."""
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, **fields}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate]} | ({} if usage is None else {"usageMetadata": usage})


def event(found: Any, *, ascii_only: bool = True) -> bytes:
    """One record, as an event. The vendor ends its lines with CRLF."""
    data = json.dumps(found, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    return b"data: " + data + b"\r\n\r\n"


def stream(*records: Any) -> bytes:
    """A whole stream."""
    return b"".join(map(event, records))


def tokens(prompt: int, candidates: int, **others: int) -> dict[str, int]:
    """Usage."""
    return {"promptTokenCount": prompt, "candidatesTokenCount": candidates, **others}


def read(body: bytes, cuts: Iterable[int] = ()) -> Read:
    """Decode a body that arrives cut at these places."""
    decoder = GeminiDecoder(KEY)
    events: list[ModelEvent] = []
    start = 0
    for end in (*cuts, len(body)):
        if not decoder.done:
            events += decoder.feed(body[start:end])
        start = end
    events += decoder.close()
    return summary(events, decoder.failure)


def leaves(value: Any, path: str) -> list[tuple[str, Any]]:
    """The values of a document, each with the JSON path where it is."""
    if is_dict(value):
        quoted = ((name.replace("\\", "\\\\").replace("'", "\\'"), item) for name, item in value.items())
        return [leaf for name, item in quoted for leaf in leaves(item, f"{path}['{name}']")]
    if is_array(value):
        return [leaf for place, item in enumerate(value) for leaf in leaves(item, f"{path}[{place}]")]
    return [(path, value)]
