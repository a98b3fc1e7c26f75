"""A provider's events, whatever kind of provider it is."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any, TypeAlias

from finalturn.agent._await import settle
from finalturn.core.errors import ProviderError
from finalturn.core.model import ModelEvent, ModelRequest, ModelResponse
from finalturn.core.protocols import Provider, StreamingProvider

CallEvent: TypeAlias = ModelEvent | ModelResponse
"""A piece of an answer, or the whole of it."""


def open_events(provider: Provider | StreamingProvider, request: ModelRequest) -> AsyncIterator[CallEvent]:
    """Begin a call: the provider's stream where it has one, else its whole reply."""
    if isinstance(provider, StreamingProvider):
        events: Any = provider.stream(request)
        if hasattr(events, "__aiter__"):
            return events.__aiter__()  # type: ignore[no-any-return]
        return _from_iterator(iter(events))
    return _from_whole_reply(provider, request)


async def _from_iterator(events: Iterator[ModelEvent]) -> AsyncIterator[CallEvent]:
    """A synchronous provider's events; each is waited for in a thread."""
    from anyio import to_thread

    try:
        while True:
            event = await to_thread.run_sync(next, events, None, abandon_on_cancel=True)
            if event is None:
                return
            yield event
    finally:
        close: Any = getattr(events, "close", None)
        if close is not None:
            # A generator that is still running, in a thread that was abandoned, cannot be closed.
            with suppress(ValueError):
                close()


async def _from_whole_reply(provider: Provider, request: ModelRequest) -> AsyncIterator[CallEvent]:
    response: object = await _complete(provider, request)
    if not isinstance(response, ModelResponse):
        raise ProviderError(
            f"{type(provider).__name__}.complete() returned a {type(response).__name__}; it must return a"
            " ModelResponse"
        )
    yield response


async def _complete(provider: Provider, request: ModelRequest) -> object:
    if inspect.iscoroutinefunction(provider.complete):
        return await settle(provider.complete(request))
    from anyio import to_thread

    return await settle(await to_thread.run_sync(provider.complete, request, abandon_on_cancel=True))
