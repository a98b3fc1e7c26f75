"""A `Fallback` as one turn sees it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from finalturn._adapters.events import CallEvent, CallSource
from finalturn._adapters.whole import ask_whole
from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent, ModelRequest, ModelResponse
from finalturn._providers.fallback.call import FallbackCall
from finalturn._providers.fallback.events import FallbackEvents
from finalturn._providers.fallback.members import Members


class FallbackView(CallSource):
    """Asks a turn's members, beginning where the call before has come to.

    Args:
        members: whom to ask.
    """

    def __init__(self, members: Members) -> None:
        self._members = members

    def events(self, request: ModelRequest, /) -> AsyncIterator[CallEvent]:
        """The events of one call; a whole reply stays one."""
        return FallbackEvents(FallbackCall(self._members, request))

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        """The events of one call; a whole reply comes in pieces."""
        return FallbackEvents(FallbackCall(self._members, request), split=True)

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        """The answer as a whole: nothing of it is shown before it is complete.

        Raises:
            ProviderError: no provider could answer.
        """
        call = FallbackCall(self._members, request)
        while True:
            try:
                return call.finish(await ask_whole(call.provider, request))
            except ProviderError as error:
                if not call.goes_on(error):
                    failure = call.all_failed(error)
                    if failure is error:
                        raise
                    raise failure from error
