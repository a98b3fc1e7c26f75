"""A provider's events, whatever kind of provider it is."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any, NamedTuple, TypeAlias

from finalturn._adapters.complete import complete
from finalturn._adapters.threaded import ThreadedEvents
from finalturn._core.described import described
from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent, ModelRequest, ModelResponse
from finalturn._core.protocols import Provider, StreamingProvider


class WholeReply(NamedTuple):
    """A whole answer. A type of its own, as a stream must not yield a `ModelResponse` after its pieces."""

    response: ModelResponse


CallEvent: TypeAlias = ModelEvent | WholeReply
"""A piece of an answer, or the whole of it."""


class CallSource(ABC):
    """A provider that asks others, and passes on their whole replies as they are."""

    @abstractmethod
    def events(self, request: ModelRequest, /) -> AsyncIterator[CallEvent]:
        """The events of one call."""


def open_events(provider: Provider | StreamingProvider, request: ModelRequest) -> AsyncIterator[CallEvent]:
    """Begin a call: the provider's stream where it has one, else its whole reply.

    Raises:
        ProviderError: what the provider gave cannot be iterated.
    """
    if isinstance(provider, CallSource):
        return provider.events(request)
    if not isinstance(provider, StreamingProvider):
        return _whole_reply(provider, request)
    events: Any = provider.stream(request)
    if hasattr(events, "__aiter__"):
        return events.__aiter__()  # type: ignore[no-any-return]
    if hasattr(events, "__iter__"):
        return ThreadedEvents(iter(events))
    if inspect.iscoroutine(events):
        events.close()
    raise ProviderError(
        f"{type(provider).__name__}.stream() returned {described(events)}; it must return an iterator"
        " of ModelEvents, asynchronous or not: make it a generator function"
    )


async def _whole_reply(provider: Provider, request: ModelRequest) -> AsyncIterator[CallEvent]:
    yield WholeReply(await complete(provider, request))


async def close_events(events: AsyncIterator[Any]) -> None:
    """Stop a call, and free what it holds."""
    close: Any = getattr(events, "aclose", None)
    if close is not None:
        await close()


def broken_off() -> ProviderError:
    """The error for events that ended without a `ModelEnd`."""
    return ProviderError("the model's answer broke off: it ended without a terminal marker", retryable=True)
