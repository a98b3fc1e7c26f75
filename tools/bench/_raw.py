"""The plainest code that does the same work: httpx2, lines, JSON. What finalturn is measured by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
from pydantic_core import from_json, to_json

_HEADERS = {"Content-Type": "application/json", "Accept": "text/event-stream"}


async def read_text(client: httpx2.AsyncClient, url: str, body: dict[str, Any]) -> str:
    """The text of a streamed answer, by httpx2's lines."""
    shown: list[str] = []
    async with _post(client, url, body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                for choice in from_json(line[6:])["choices"]:
                    text = choice["delta"].get("content")
                    if text:
                        shown.append(text)
    return "".join(shown)


async def read_text_from_bytes(client: httpx2.AsyncClient, url: str, body: dict[str, Any]) -> str:
    """The same, with the bytes cut into events by hand: near the least that httpx2 allows."""
    shown: list[str] = []
    rest = b""
    async with _post(client, url, body) as response:
        async for chunk in response.aiter_raw():
            *events, rest = (rest + chunk).split(b"\n\n")
            for event in events:
                if event != b"data: [DONE]":
                    for choice in from_json(event[6:])["choices"]:
                        text = choice["delta"].get("content")
                        if text:
                            shown.append(text)
    return "".join(shown)


async def read_until_text(
    client: httpx2.AsyncClient, url: str, body: dict[str, Any], shown: Callable[[], None]
) -> None:
    """Read an answer, and tell when the first of its text is there."""
    waiting = True
    async with _post(client, url, body) as response:
        async for line in response.aiter_lines():
            if waiting and line.startswith("data: ") and line != "data: [DONE]":
                for choice in from_json(line[6:])["choices"]:
                    if choice["delta"].get("content"):
                        shown()
                        waiting = False


async def read_answer(client: httpx2.AsyncClient, url: str, body: dict[str, Any]) -> tuple[str, str]:
    """The text of a streamed answer, and the arguments of its one tool call."""
    shown: list[str] = []
    arguments: list[str] = []
    async with _post(client, url, body) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: ") and line != "data: [DONE]":
                for choice in from_json(line[6:])["choices"]:
                    delta = choice["delta"]
                    if text := delta.get("content"):
                        shown.append(text)
                    calls = delta.get("tool_calls") or ()
                    arguments += [call["function"]["arguments"] for call in calls]
    return "".join(shown), "".join(arguments)


def _post(client: httpx2.AsyncClient, url: str, body: dict[str, Any]) -> Any:
    return client.stream("POST", f"{url}/chat/completions", content=to_json(body), headers=_HEADERS)
