"""Asks a provider of any kind for one whole answer."""

from __future__ import annotations

from collections.abc import AsyncIterator

from finalturn._adapters.checks import no_event
from finalturn._adapters.events import CallEvent, WholeReply, broken_off, close_events, complete, open_events
from finalturn._core.assembly import ToolCallAssembler
from finalturn._core.model import (
    ModelEnd,
    ModelRequest,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.protocols import Provider, StreamingProvider


async def ask_whole(provider: Provider | StreamingProvider, request: ModelRequest) -> ModelResponse:
    """The provider's whole reply where it gives one, else its stream read to the end.

    Raises:
        ProviderError: the call failed or broke off, or the provider gave something else.
    """
    if isinstance(provider, Provider):
        return await complete(provider, request)
    return await collect(open_events(provider, request))


async def collect(events: AsyncIterator[CallEvent]) -> ModelResponse:
    """Read a call's events to the end of the answer, and close them.

    Raises:
        ProviderError: the call failed or broke off, or something in it is no event.
    """
    try:
        response = await _read(events)
    except GeneratorExit:
        # The coroutine is being thrown away: nothing can be awaited any more.
        raise
    except BaseException:
        from anyio import CancelScope

        # A call that was cancelled must be closed too.
        with CancelScope(shield=True):
            await close_events(events)
        raise
    await close_events(events)
    return response


async def _read(events: AsyncIterator[object]) -> ModelResponse:
    texts: list[str] = []
    thoughts: list[str] = []
    calls = ToolCallAssembler()
    async for event in events:
        if isinstance(event, TextDelta):
            texts.append(event.text)
        elif isinstance(event, ReasoningDelta):
            thoughts.append(event.text)
        elif isinstance(event, ToolCallDelta):
            calls.add(event)
        elif isinstance(event, ModelEnd):
            tool_calls = calls.finish(cut=event.finish_reason == "length")
            return ModelResponse(
                "".join(texts),
                "".join(thoughts),
                tool_calls,
                event.finish_reason,
                event.usage,
                event.switches,
            )
        elif isinstance(event, WholeReply):
            return event.response
        else:
            raise no_event(event)
    raise broken_off()
