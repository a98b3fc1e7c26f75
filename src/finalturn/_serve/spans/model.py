"""Spans of model calls: each from the request to the last piece of the answer."""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import AsyncIterator
from time import monotonic
from typing import TypeAlias

from opentelemetry.context import attach, detach
from opentelemetry.trace import Span, SpanKind, set_span_in_context

from finalturn._adapters.events import CallEvent, CallSource, WholeReply, close_events, open_events
from finalturn._adapters.turn import for_turn
from finalturn._adapters.whole import ask_whole
from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelRequest, ModelResponse
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._serve.spans.names import Named, named
from finalturn._serve.spans.turn import CURRENT, TurnSpans, fail, set_usage

__all__ = ["TracedProvider"]

Value: TypeAlias = str | bool | int | float | list[str]


class TracedProvider(CallSource):
    """The same provider, whose calls have spans in turns that are recorded.

    Args:
        provider: is asked.
        names: what its spans call it; by default what it is found to be.
    """

    def __init__(self, provider: Provider | StreamingProvider, names: Named | None = None) -> None:
        self._provider = provider
        self._names = names or named(provider)

    def for_turn(self) -> TracedProvider:
        """The same for one turn."""
        return TracedProvider(for_turn(self._provider), self._names)

    def events(self, request: ModelRequest, /) -> AsyncIterator[CallEvent]:
        """The events of one call."""
        spans = CURRENT.get()
        if spans is None:
            return open_events(self._provider, request)
        spans.asks(self._names)
        streams = isinstance(self._provider, (StreamingProvider, CallSource))
        return _TracedEvents(
            spans, self._provider, request, _attributes(self._names, request, spans, streams)
        )

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """The answer as a whole; without a span, for an agent never asks so."""
        return await ask_whole(self._provider, request)


class _TracedEvents(AsyncIterator[CallEvent]):
    """The events of one call, read while its span is the current one."""

    def __init__(
        self,
        spans: TurnSpans,
        provider: Provider | StreamingProvider,
        request: ModelRequest,
        attributes: dict[str, Value],
    ) -> None:
        self._spans = spans
        self._begun: float | None = monotonic()
        model = attributes.get("gen_ai.request.model")
        self._span: Span = spans.tracer.start_span(
            "chat" if model is None else f"chat {model}", kind=SpanKind.CLIENT, attributes=attributes
        )
        spans.calls.add(self._span)
        self._context = set_span_in_context(self._span)
        try:
            self._events = open_events(provider, request)
        except BaseException as error:
            self._end(_kind(error))
            raise

    async def __anext__(self) -> CallEvent:
        token = attach(self._context)
        try:
            event = await self._events.__anext__()
        except StopAsyncIteration:
            # Without a `ModelEnd`: the answer broke off. After one, the span has ended.
            self._end(ProviderError.__qualname__)
            raise
        except BaseException as error:
            self._end(_kind(error))
            raise
        finally:
            detach(token)
        self._take(event)
        return event

    async def aclose(self) -> None:
        token = attach(self._context)
        try:
            await close_events(self._events)
        finally:
            detach(token)
            self._end("cancelled")

    def _take(self, event: CallEvent) -> None:
        if self._begun is not None:
            self._span.set_attribute("gen_ai.response.time_to_first_chunk", monotonic() - self._begun)
            self._begun = None
        if isinstance(event, (ModelEnd, WholeReply)):
            end = event.response if isinstance(event, WholeReply) else event
            self._span.set_attribute("gen_ai.response.finish_reasons", [str(end.finish_reason)])
            set_usage(self._span, end.usage)
            if end.switches:
                self._span.set_attribute("finalturn.switches", len(end.switches))
            self._end(None)

    def _end(self, kind: str | None) -> None:
        if self._span in self._spans.calls:
            self._spans.calls.remove(self._span)
            if kind is not None:
                fail(self._span, kind)
            self._span.end()


def _attributes(names: Named, request: ModelRequest, spans: TurnSpans, streams: bool) -> dict[str, Value]:
    settings = request.settings
    found: dict[str, Value | None] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": names.provider,
        "gen_ai.request.model": names.model,
        "gen_ai.conversation.id": spans.conversation,
        "gen_ai.output.type": None if request.output is None else "json",
        "gen_ai.request.stream": streams or None,
        "gen_ai.request.temperature": settings.temperature,
        "gen_ai.request.top_p": settings.top_p,
        "gen_ai.request.max_tokens": settings.max_tokens,
        "gen_ai.request.seed": settings.seed,
        "finalturn.call": request.call,
    }
    return {name: value for name, value in found.items() if value is not None}


def _kind(error: BaseException) -> str:
    """The HTTP status that a provider answered with, or what was raised."""
    if isinstance(error, ProviderError) and error.status is not None:
        return str(error.status)
    if isinstance(error, (CancelledError, GeneratorExit)):
        return "cancelled"
    return type(error).__qualname__
