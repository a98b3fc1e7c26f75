"""A provider over HTTP without a network: it reads prepared bodies, in prepared pieces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import httpx2

from finalturn import Capabilities
from finalturn.providers import OpenAIChat


class _Body(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece


class _Transport(httpx2.AsyncBaseTransport):
    def __init__(self, bodies: Sequence[Sequence[bytes]]) -> None:
        self._bodies = list(bodies)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        return httpx2.Response(200, stream=_Body(self._bodies.pop(0)))


def fed(*bodies: Sequence[bytes], capabilities: Capabilities | None = None) -> OpenAIChat:
    """A provider whose calls are answered by these bodies."""
    client = httpx2.AsyncClient(transport=_Transport(bodies))
    return OpenAIChat(
        "x", base_url="http://test/v1", http_client=client, capabilities=capabilities, max_retries=0
    )


def cut(body: bytes, places: Sequence[int]) -> list[bytes]:
    """A body in the pieces that these places leave; empty ones are none."""
    found: list[bytes] = []
    start = 0
    for end in sorted({place % (len(body) + 1) for place in places} | {len(body)}):
        if end > start:
            found.append(body[start:end])
            start = end
    return found
