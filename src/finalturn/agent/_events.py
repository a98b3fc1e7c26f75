"""A provider's events, whatever kind of provider it is."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from typing import Any, NamedTuple, TypeAlias

from finalturn.agent._threaded import ThreadedEvents, in_thread
from finalturn.core.errors import ProviderError
from finalturn.core.model import ModelEvent, ModelRequest, ModelResponse
from finalturn.core.protocols import Provider, StreamingProvider


class WholeReply(NamedTuple):
    """A whole answer. A type of its own, as a stream must not yield a `ModelResponse` after its pieces."""

    response: ModelResponse


CallEvent: TypeAlias = ModelEvent | WholeReply
"""A piece of an answer, or the whole of it."""


def open_events(provider: Provider | StreamingProvider, request: ModelRequest) -> AsyncIterator[CallEvent]:
    """Begin a call: the provider's stream where it has one, else its whole reply.

    Raises:
        ProviderError: what the provider gave cannot be iterated.
    """
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
        f"{type(provider).__name__}.stream() returned a {type(events).__name__}; it must return an iterator"
        " of ModelEvents, asynchronous or not: make it a generator function"
    )


async def _whole_reply(provider: Provider, request: ModelRequest) -> AsyncIterator[CallEvent]:
    response: object = await _complete(provider, request)
    if not isinstance(response, ModelResponse):
        raise ProviderError(
            f"{type(provider).__name__}.complete() returned a {type(response).__name__}; it must return a"
            " ModelResponse"
        )
    yield WholeReply(response)


async def _complete(provider: Provider, request: ModelRequest) -> object:
    if inspect.iscoroutinefunction(provider.complete):
        return await provider.complete(request)
    answer: Any = await in_thread(lambda: provider.complete(request))
    return await answer if inspect.isawaitable(answer) else answer
