"""The conformance kit on Fallback, which must add nothing to its members and take nothing away."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, ClassVar

from finalturn import Capabilities, ModelEvent, ModelRequest, ProviderError, TextDelta, Usage
from finalturn._testing.conformance.kit import BACKENDS
from finalturn.providers import Fallback, OpenAIChat
from finalturn.testing import ChatServerConformance, ScriptedAnswer
from tests.testing._kits import OneTestPerClause

EVERYTHING = Capabilities(native_schema=True, native_schema_with_tools=True, images=True)


class Down:
    """A provider that never answers."""

    capabilities = EVERYTHING

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        error = ProviderError("it is down", status=503, retryable=True)
        # It knows that it has used nothing.
        error.usage = Usage()
        raise error
        yield TextDelta("")


class TestFallback(OneTestPerClause, ChatServerConformance):
    """The first answers."""

    # Leaving a member's iterator is the event loop's business too.
    loops: ClassVar[Sequence[str]] = BACKENDS

    def connect(self, base_url: str, /) -> OpenAIChat:
        return OpenAIChat(
            "any", base_url=base_url, api_key=self.secret, capabilities=EVERYTHING, max_retries=0
        )

    def beside(self, chat: OpenAIChat) -> Fallback:
        return Fallback(chat, Down())

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> AbstractAsyncContextManager[Any]:  # type: ignore[override]  # pyright: ignore
        return self._closing(calls)

    @asynccontextmanager
    async def _closing(self, calls: Sequence[ScriptedAnswer]) -> AsyncGenerator[Fallback]:
        # Its members stay the caller's to close.
        with self._serving(calls) as chat:
            assert isinstance(chat, OpenAIChat)
            async with chat:
                yield self.beside(chat)


class TestFallbackToSecond(TestFallback):
    """The first is down."""

    loops = ("asyncio",)

    def beside(self, chat: OpenAIChat) -> Fallback:
        return Fallback(Down(), chat)
