"""Asks a provider, whatever kind it is: one that streams or answers whole, asynchronous or not.

`for_turn` says whom to ask, `open_events` begins a call, and `complete` asks for a whole reply.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from typing import Any, NamedTuple, TypeAlias, cast

from finalturn._adapters.threaded import ThreadedEvents, in_thread
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError, ProviderError
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


def for_turn(provider: Provider | StreamingProvider) -> Provider | StreamingProvider:
    """Whom to ask in all model calls of one turn: what the provider's ``for_turn()`` gives, or itself.

    Raises:
        ConfigurationError: what it gives is no provider.
    """
    make: Any = getattr(provider, "for_turn", None)
    if make is None:
        return provider
    turn_provider = cast("object", make())
    if not isinstance(turn_provider, (Provider, StreamingProvider)):
        raise ConfigurationError(
            f"{type(provider).__name__}.for_turn() returned {described(turn_provider)}; it must return an"
            " object with a method complete(request) or stream(request)"
        )
    return turn_provider


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


async def complete(provider: Provider, request: ModelRequest) -> ModelResponse:
    """Ask for the answer as a whole. A synchronous provider is asked in a thread.

    Raises:
        ProviderError: the call failed, or the provider gave something else.
    """
    response: object = await _ask(provider, request)
    if not isinstance(response, ModelResponse):
        raise ProviderError(
            f"{type(provider).__name__}.complete() returned {described(response)}; it must return a"
            " ModelResponse"
        )
    return response


async def _ask(provider: Provider, request: ModelRequest) -> object:
    if inspect.iscoroutinefunction(provider.complete):
        return await provider.complete(request)
    answer: Any = await in_thread(lambda: provider.complete(request))
    return await answer if inspect.isawaitable(answer) else answer


async def close_events(events: AsyncIterator[Any]) -> None:
    """Stop a call, and free what it holds."""
    close: Any = getattr(events, "aclose", None)
    if close is not None:
        await close()


def broken_off() -> ProviderError:
    """The error for events that ended without a `ModelEnd`."""
    return ProviderError("the model's answer broke off: it ended without a terminal marker", retryable=True)
