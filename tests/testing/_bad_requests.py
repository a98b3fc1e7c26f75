"""Providers that spoil what the vendor is asked, and how its answer is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from finalturn import (
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderError,
    Role,
)
from finalturn._core.messages import ContentPart
from tests.testing._sound import Events, Sound


class IdsNotSentBack(Sound):
    async def ask(self, request: ModelRequest) -> Events:
        messages = [replace(message, tool_call_id=None) for message in request.messages]
        messages = [
            replace(message, tool_calls=tuple(replace(call, id=None) for call in message.tool_calls))
            for message in messages
        ]
        async with aclosing(super().ask(replace(request, messages=messages))) as events:
            async for event in events:
                yield event


class ToolsForgotten(Sound):
    def ask(self, request: ModelRequest) -> Events:
        return super().ask(replace(request, tools=()))


class AsksAgain(Sound):
    async def ask(self, request: ModelRequest) -> Events:
        for last in (False, False, True):
            try:
                async with aclosing(super().ask(request)) as events:
                    async for event in events:
                        yield event
                        if isinstance(event, ModelEnd):
                            return
            except ProviderError:
                if last:
                    raise


class CloseIgnored(Sound):
    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        return _Uncloseable(super().stream(request), self)


class _Uncloseable(AsyncIterator[ModelEvent]):
    # Kept from the garbage collector until the event loop ends.
    kept: list[object] = []  # noqa: RUF012

    def __init__(self, events: AsyncIterator[ModelEvent], owner: object) -> None:
        self._events = events
        self.kept.append((events, owner))

    async def __anext__(self) -> ModelEvent:
        return await self._events.__anext__()


class StateShared(Sound):
    """Keeps the answer that it reads on itself."""

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        return self._reading(request)

    async def _reading(self, request: ModelRequest) -> Events:
        self.events = super().stream(request)
        first = self.events
        try:
            while (event := await anext(self.events, None)) is not None:
                yield event
        finally:
            await cast("Events", first).aclose()

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        from anyio.lowlevel import checkpoint

        self.reply = await super().complete(request)
        await checkpoint()
        return self.reply


class WholeReplyStripped(Sound):
    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        reply = await super().complete(request)
        return replace(reply, content=reply.content.strip())


class SystemPutIntoTheMessages(Sound):
    def ask(self, request: ModelRequest) -> Events:
        if isinstance(request.messages, list):
            request.messages.insert(0, Message.system(request.system))
        return super().ask(request)


class ToolsMadeStrict(Sound):
    def ask(self, request: ModelRequest) -> Events:
        for tool in request.tools:
            # An agent's own tools cannot be changed.
            if type(cast("object", tool.parameters)) is dict:
                cast("dict[str, Any]", tool.parameters)["strict"] = True
        return super().ask(request)


class ImagesDropped(Sound):
    def ask(self, request: ModelRequest) -> Events:
        nothing: tuple[ContentPart, ...] = ()
        messages = [replace(message, content_parts=nothing) for message in request.messages]
        return super().ask(replace(request, messages=messages))


class SchemaIgnored(Sound):
    def ask(self, request: ModelRequest) -> Events:
        return super().ask(replace(request, output=None))


class SchemaInsteadOfTools(Sound):
    def ask(self, request: ModelRequest) -> Events:
        return super().ask(replace(request, tools=()) if request.output else request)


class EmptyAnswersRefused(Sound):
    def ask(self, request: ModelRequest) -> Events:
        for message in request.messages:
            if message.role is Role.ASSISTANT and not message.tool_calls:
                assert message.content[0]
        return super().ask(request)


class OnlyUsersUnderstood(Sound):
    def ask(self, request: ModelRequest) -> Events:
        for message in request.messages:
            if message.role is not Role.USER:
                raise KeyError(message.role)
        return super().ask(request)


class SettingsRefused(Sound):
    def ask(self, request: ModelRequest) -> Events:
        if request.settings.seed is not None:
            raise NotImplementedError("seed")
        return super().ask(request)


class OutOfOrder(Sound):
    def ask(self, request: ModelRequest) -> Events:
        raise ConnectionError("out of order")
