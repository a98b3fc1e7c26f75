"""Providers that spoil what the vendor says."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from finalturn import (
    Capabilities,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from tests.testing._sound import Events, Sound


class ReasoningAsText(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [TextDelta(event.text) if isinstance(event, ReasoningDelta) else event]


class ReasoningDropped(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [] if isinstance(event, ReasoningDelta) else [event]


class TwoEnds(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [event, event] if isinstance(event, ModelEnd) else [event]


class TextAfterTheEnd(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [event, TextDelta("")] if isinstance(event, ModelEnd) else [event]


class NoEnd(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [] if isinstance(event, ModelEnd) else [event]


class StrangeEvents(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [cast("Any", None), event]

    async def complete(self, request: ModelRequest, /) -> ModelResponse:
        return await self.script.complete(request)


class IdsDropped(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [replace(event, id=None) if isinstance(event, ToolCallDelta) else event]


class OneIdForAll(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, ToolCallDelta) and event.id:
            return [replace(event, id="zq7xcall_1")]
        return [event]


class CallsGlued(Sound):
    async def spoil(self, events: Events) -> Events:
        begun = False
        async with aclosing(events):
            async for event in events:
                if isinstance(event, ToolCallDelta):
                    yield replace(event, index=0, id=None, name="") if begun else event
                    begun = True
                else:
                    yield event


class MarkupEscaped(Sound):
    can = Capabilities(native_tools=False)

    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [TextDelta(event.text.replace("<", "&lt;")) if isinstance(event, TextDelta) else event]


class BlankPiecesDropped(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [] if isinstance(event, TextDelta) and event.text.isspace() else [event]


class JsonCompleted(Sound):
    async def spoil(self, events: Events) -> Events:
        text = ""
        async with aclosing(events):
            async for event in events:
                text += event.text if isinstance(event, TextDelta) else ""
                if isinstance(event, ModelEnd) and text.count("{") > text.count("}"):
                    yield TextDelta("}")
                yield event


class ArgumentsRepaired(Sound):
    async def spoil(self, events: Events) -> Events:
        text = ""
        async with aclosing(events):
            async for event in events:
                text += event.arguments if isinstance(event, ToolCallDelta) else ""
                if isinstance(event, ModelEnd) and text.count("{") > text.count("}"):
                    yield ToolCallDelta(0, arguments="}")
                yield event


class LimitHidden(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, ModelEnd) and event.finish_reason == "length":
            return [replace(event, finish_reason="stop")]
        return [event]


class RefusalHidden(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, ModelEnd) and event.finish_reason == "refusal":
            return [replace(event, finish_reason="stop")]
        return [event]


class EveryEndIsTheLimit(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [replace(event, finish_reason="length") if isinstance(event, ModelEnd) else event]


class UsageTwice(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, ModelEnd) and event.usage is not None:
            return [replace(event, usage=event.usage + event.usage)]
        return [event]


class UsageDropped(Sound):
    def instead(self, event: ModelEvent) -> list[ModelEvent]:
        return [replace(event, usage=None) if isinstance(event, ModelEnd) else event]


class ErrorsAsText(Sound):
    async def spoil(self, events: Events) -> Events:
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        except ProviderError as error:
            yield TextDelta(f"[{error}]")
            yield ModelEnd()


class CutsAreEnds(Sound):
    async def spoil(self, events: Events) -> Events:
        ended = False
        async with aclosing(events):
            async for event in events:
                ended = ended or isinstance(event, ModelEnd)
                yield event
        if not ended:
            yield ModelEnd()


class Rethrows(Sound):
    """Makes another error of each; see its heirs."""

    async def spoil(self, events: Events) -> Events:
        try:
            async with aclosing(events):
                async for event in events:
                    yield event
        except ProviderError as error:
            raise self.other(error) from None

    def other(self, error: ProviderError) -> Exception:
        return error


class ErrorsOfItsOwn(Rethrows):
    def other(self, error: ProviderError) -> Exception:
        return ConnectionError(str(error))


class BodyInTheError(Rethrows):
    def other(self, error: ProviderError) -> Exception:
        return ProviderError(f"{error}: {error.detail}", status=error.status)


class KeyInTheError(Rethrows):
    def other(self, error: ProviderError) -> Exception:
        return ProviderError(f"{error} (with key sk-zq7xsecret)", status=error.status)


class TextInTheError(Sound):
    async def spoil(self, events: Events) -> Events:
        text = ""
        try:
            async with aclosing(events):
                async for event in events:
                    text += event.text if isinstance(event, TextDelta) else ""
                    yield event
        except ProviderError as error:
            raise ProviderError(f"it failed after {text!r}") from error
