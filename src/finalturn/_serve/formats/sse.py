"""Writes records as server-sent events (WHATWG HTML, section 9.2).

The JSON is pure ASCII: no reader of lines can take a character of a text for the end of one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["HEADERS", "HEARTBEAT", "frame"]

HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-store, no-transform",
    # Tells nginx, and what acts like it, not to collect the stream before it sends it on.
    "X-Accel-Buffering": "no",
}

HEARTBEAT = b": keep-alive\n\n"

_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode


def frame(record: Mapping[str, Any] | str, number: int) -> bytes:
    """One whole event.

    Args:
        record: what it carries; a text goes as it is.
        number: its place among the records of the run, from 1: what a client sends back as ``Last-Event-ID``.
    """
    data = record if isinstance(record, str) else _encode(record)
    return f"id: {number}\ndata: {data}\n\n".encode("ascii")
