"""What a real HTTP client asks a scripted server, and how its answers are read."""

from __future__ import annotations

from typing import Any

import httpx2

from finalturn._core.json_text import decode


def post(client: httpx2.Client, url: str, **fields: Any) -> httpx2.Response:
    return client.post(f"{url}/chat/completions", json={"model": "m", "stream": True, **fields})


def records(body: bytes) -> list[Any]:
    """The records of an SSE body; the last of them may be ``[DONE]``."""
    found = [record.removeprefix("data: ") for record in body.decode().split("\n\n") if record]
    return [record if record == "[DONE]" else decode(record) for record in found]


def choices(body: bytes) -> list[dict[str, Any]]:
    """The choice of each chunk that has one."""
    found = [record for record in records(body) if record != "[DONE]" and record.get("choices")]
    return [chunk["choices"][0] for chunk in found]


def deltas(body: bytes) -> list[dict[str, Any]]:
    return [choice["delta"] for choice in choices(body)]


def reasons(body: bytes) -> list[str]:
    return [reason for choice in choices(body) if (reason := choice["finish_reason"])]
