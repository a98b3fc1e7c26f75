"""The events of one model call, from the first provider that can answer."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any

from finalturn._adapters.checks import expect_event
from finalturn._adapters.events import CallEvent, WholeReply, broken_off, close_events, open_events
from finalturn._core.assembly import with_unique_ids
from finalturn._core.errors import ProviderError
from finalturn._core.model import (
    ModelEnd,
    ModelEvent,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.result import Usage
from finalturn._providers.fallback.call import FallbackCall


class FallbackEvents(AsyncIterator[Any]):
    """Reads one provider at a time, and goes on to the next as long as nothing has been given out.

    It is no generator, so that a reader that was cancelled can still close what it has opened.

    Args:
        call: the providers.
        split: give a whole reply in pieces.
    """

    def __init__(self, call: FallbackCall, *, split: bool = False) -> None:
        self._call = call
        self._split = split
        self._events: AsyncIterator[CallEvent] | None = None
        self._held: list[ToolCallDelta] = []
        self._ready: deque[CallEvent] = deque()
        self._shown = False
        self._ended = False

    @property
    def spent(self) -> Usage | None:
        """What the providers have used that failed before the one that is asked now."""
        return self._call.spent

    async def __anext__(self) -> CallEvent:
        while not self._ready:
            if self._ended:
                await self.aclose()
                raise StopAsyncIteration
            try:
                self._take(await self._read())
            except ProviderError as error:
                await self._leave()
                if self._shown or not self._call.goes_on(error):
                    self._ended = True
                    make = self._call.broken if self._shown else self._call.all_failed
                    failure = make(error)
                    if failure is error:
                        raise
                    raise failure from error
        return self._ready.popleft()

    async def aclose(self) -> None:
        """Stop the call; nothing more is given."""
        self._ended = True
        self._ready.clear()
        self._held.clear()
        await self._hang_up()

    async def _read(self) -> CallEvent:
        if self._events is None:
            self._events = open_events(self._call.provider, self._call.request)
        try:
            return await self._events.__anext__()
        except StopAsyncIteration:
            raise broken_off() from None

    def _take(self, event: CallEvent) -> None:
        if isinstance(event, (ModelEnd, WholeReply)):
            expect_event(event)
            self._release()
            self._ready.extend(self._ending(event))
            self._ended = True
        elif self._shown:
            # Whoever builds a turn on it checks it.
            self._ready.append(event)
        else:
            expect_event(event)
            if isinstance(event, ToolCallDelta):
                self._held.append(event)
            elif event.text:
                self._shown = True
                self._release()
                self._ready.append(event)

    def _release(self) -> None:
        self._ready.extend(self._held)
        self._held.clear()

    def _ending(self, event: ModelEnd | WholeReply) -> Iterator[CallEvent]:
        if isinstance(event, ModelEnd):
            return iter([self._call.finish(event)])
        response = self._call.finish(event.response)
        return _pieces(response) if self._split else iter([WholeReply(response)])

    async def _leave(self) -> None:
        """Be done with a provider that failed."""
        self._held.clear()
        try:
            await self._hang_up()
        except Exception as error:
            # The next one does not depend on how this one closes.
            _warn(error)
            self._events = None

    async def _hang_up(self) -> None:
        if self._events is not None:
            # Forgotten only when it is closed: a cancellation meanwhile leaves it to the next to close.
            await close_events(self._events)
            self._events = None


def _pieces(response: ModelResponse) -> Iterator[ModelEvent]:
    if response.reasoning:
        yield ReasoningDelta(response.reasoning)
    if response.content:
        yield TextDelta(response.content)
    for index, call in enumerate(with_unique_ids(response.tool_calls)):
        # Arguments that could not be read stay so: such a call must not run.
        text = "{" if call.error else call.arguments_json()
        yield ToolCallDelta(index, call.id, call.name, text, call.provider_data)
    yield ModelEnd(response.finish_reason, response.usage, response.switches)


def _warn(error: Exception) -> None:
    from finalturn._support.logger import logger

    logger("finalturn.providers").warning(
        "a provider that failed could not be closed (%s)", type(error).__name__
    )
