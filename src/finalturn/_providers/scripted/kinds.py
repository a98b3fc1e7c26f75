"""The kinds of provider that play a script: streaming or whole, asynchronous or not."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, TypeAlias

from finalturn._core.assembly import ToolCallAssembler
from finalturn._core.errors import ProviderError
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._providers.scripted.items import Pause, Step, refuse_awaitable
from finalturn._providers.scripted.script import Script

__all__ = ["ScriptedSyncStream", "ScriptedSyncWholeReply", "ScriptedWholeReply", "play"]

Steps: TypeAlias = Callable[[ModelRequest], Iterator[Step]]
"""Takes the next answer of a script."""

Requests: TypeAlias = Script[ModelRequest, Any]


async def play(script: Requests, take: Steps, request: ModelRequest) -> AsyncIterator[ModelEvent]:
    """Play the next answer. It is taken when the first event is asked for."""
    playing = take(request)
    with script.answering() as progress:
        for step in playing:
            if isinstance(step, Pause):
                from anyio import sleep

                await sleep(step.seconds)
            elif callable(step):
                done = step()
                if inspect.isawaitable(done):
                    await done
            else:
                # A reader has no reason to come back after the end.
                progress.ended = isinstance(step, ModelEnd)
                yield step


def play_sync(script: Requests, take: Steps, request: ModelRequest) -> Iterator[ModelEvent]:
    """Play the next answer without an event loop."""
    playing = take(request)
    with script.answering() as progress:
        for step in playing:
            if isinstance(step, Pause):
                from time import sleep

                sleep(step.seconds)
            elif callable(step):
                refuse_awaitable(step())
            else:
                progress.ended = isinstance(step, ModelEnd)
                yield step


class _Kind:
    def __init__(self, capabilities: Capabilities, script: Requests, take: Steps) -> None:
        self.capabilities = capabilities
        self._script = script
        self._take = take


class ScriptedWholeReply(_Kind):
    """Answers as a whole."""

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        reply = _Reply()
        async for event in play(self._script, self._take, request):
            reply.add(event)
        return reply.response()


class ScriptedSyncWholeReply(_Kind):
    """Answers as a whole, without an event loop."""

    def complete(self, request: ModelRequest, /) -> ModelResponse:
        reply = _Reply()
        for event in play_sync(self._script, self._take, request):
            reply.add(event)
        return reply.response()


class ScriptedSyncStream(_Kind):
    """Streams from a plain iterator."""

    def stream(self, request: ModelRequest, /) -> Iterator[ModelEvent]:
        return play_sync(self._script, self._take, request)


class _Reply:
    """Events put together again."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls = ToolCallAssembler()
        self._end: ModelEnd | None = None

    def add(self, event: ModelEvent) -> None:
        if isinstance(event, TextDelta):
            self._text.append(event.text)
        elif isinstance(event, ReasoningDelta):
            self._reasoning.append(event.text)
        elif isinstance(event, ToolCallDelta):
            self._calls.add(event)
        else:
            self._end = event

    def response(self) -> ModelResponse:
        if self._end is None:
            raise ProviderError("the model's answer broke off: the script cuts it here", retryable=True)
        reason, usage = self._end.finish_reason, self._end.usage
        calls = self._calls.finish(cut=reason == "length")
        return ModelResponse("".join(self._text), "".join(self._reasoning), calls, reason, usage)
