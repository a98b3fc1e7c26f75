"""Streams asked for, and what is compared with them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import httpx2

from finalturn._core.errors import ProviderError
from finalturn._core.messages import Message
from finalturn._core.model import ModelEnd, ModelEvent, ModelRequest, TextDelta
from finalturn._providers.http.provider import HttpProvider
from finalturn.providers import OpenAIChat
from tests.providers._server import stream
from tests.providers._wire import DONE, STOP, delta

KEY = "sk-SENTINEL"
ASK = ModelRequest([Message.user("hi")])
ANSWER = stream(delta("ok") + STOP + DONE)
EXPECTED = [TextDelta("ok"), ModelEnd("stop")]


class Pieces(httpx2.AsyncByteStream):
    """A body that counts what is read of it."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        self.pieces = pieces
        self.reads = 0
        self.closed = False

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        for piece in self.pieces:
            self.reads += 1
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def aclose(self) -> None:
        self.closed = True


async def ask(url: str, **options: Any) -> tuple[list[ModelEvent], ProviderError | None]:
    """What a stream of chat completions gives, and how it fails."""
    return await ask_provider(OpenAIChat("m", base_url=url, api_key=KEY, **options))


async def ask_provider(provider: HttpProvider) -> tuple[list[ModelEvent], ProviderError | None]:
    """What a provider's stream gives, and how it fails; the provider is closed then."""
    events: list[ModelEvent] = []
    async with provider:
        try:
            async for item in provider.stream(ASK):
                events.append(item)  # noqa: PERF401 (what came before a failure counts)
        except ProviderError as error:
            return events, error
    return events, None
