"""A provider without a fault, of which bad ones are made."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import ClassVar, cast

from finalturn import (
    Capabilities,
    ModelEvent,
    ModelRequest,
    ModelResponse,
)
from finalturn._adapters.whole import collect
from finalturn.providers import Scripted
from tests.testing._kits import EVERYTHING, ScriptedKit

Events = AsyncGenerator[ModelEvent, None]


class Sound:
    """No fault; what the others are made of."""

    can: ClassVar[Capabilities] = EVERYTHING

    def __init__(self, script: Scripted) -> None:
        self.script = script
        self.capabilities = script.capabilities

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        return self.spoil(self.ask(request))

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        return await collect(self.spoil(self.ask(request)))

    async def ask(self, request: ModelRequest) -> Events:
        async with aclosing(cast("Events", self.script.stream(request))) as events:
            async for event in events:
                yield event

    async def spoil(self, events: Events) -> Events:
        async with aclosing(events):
            async for event in events:
                for other in self.instead(event):
                    yield other

    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [event]


def kit_of(bad: type[Sound]) -> type[ScriptedKit]:
    """The kit on such a provider."""

    class Kit(ScriptedKit):
        can = bad.can

        def wrap(self, script: Scripted) -> Sound:
            return bad(script)

    return Kit
