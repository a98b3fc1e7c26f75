"""Checks what a provider's events hold, before a turn is built on them."""

from __future__ import annotations

from typing import cast

from finalturn._adapters.events import WholeReply
from finalturn._core.described import described
from finalturn._core.errors import ProviderError
from finalturn._core.messages import ToolCall
from finalturn._core.model import ModelEnd, ModelResponse, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import ProviderSwitch, Usage
from finalturn._core.type_guards import is_array, is_mapping


def misfit(where: str, value: object, expected: str) -> ProviderError:
    """The error for a value of the wrong type. It names types only: the value may be a model's text."""
    return ProviderError(f"the provider gave {described(value)} as {where}; it must be {expected}")


def no_event(value: object) -> ProviderError:
    """The error for what a provider yielded in the place of an event."""
    return ProviderError(
        f"the provider yielded {described(value)}; it must yield ModelEvents, the last a ModelEnd"
    )


def expect_event(event: object) -> None:
    """Check an event, whatever it is.

    Raises:
        ProviderError: it is none, or something in it has the wrong type.
    """
    if isinstance(event, TextDelta):
        _expect_text(event.text, "text")
    elif isinstance(event, ReasoningDelta):
        _expect_text(event.text, "reasoning")
    elif isinstance(event, ToolCallDelta):
        expect_pieces(event)
    elif isinstance(event, ModelEnd):
        expect_end(event)
    elif isinstance(event, WholeReply):
        _expect_text(event.response.content, "text")
        _expect_text(event.response.reasoning, "reasoning")
        expect_calls(event.response.tool_calls)
        expect_end(event.response)
    else:
        raise no_event(event)


def expect_end(end: ModelEnd | ModelResponse) -> None:
    """Check what an answer says of its call.

    Raises:
        ProviderError: its usage or its switches have the wrong type.
    """
    if not _is_or_none(end.usage, Usage):
        raise misfit("usage", end.usage, "a Usage or None")
    switches = cast("object", end.switches)
    if not isinstance(switches, tuple):
        raise misfit("switches", switches, "a tuple of ProviderSwitch")
    for switch in cast("tuple[object, ...]", switches):
        if not isinstance(switch, ProviderSwitch):
            raise misfit("an item of switches", switch, "a ProviderSwitch")


def expect_pieces(delta: ToolCallDelta) -> None:
    """Check a piece of a tool call.

    Raises:
        ProviderError: a field has the wrong type.
    """
    for name in ("name", "arguments"):
        _expect_text(getattr(delta, name), f"ToolCallDelta.{name}")
    if not _is_or_none(delta.id, str):
        raise misfit("ToolCallDelta.id", delta.id, "a str or None")
    if not _is_or_none(delta.index, int):
        raise misfit("ToolCallDelta.index", delta.index, "an int or None")
    if delta.provider_data is not None and not is_mapping(delta.provider_data):
        raise misfit("ToolCallDelta.provider_data", delta.provider_data, "a mapping or None")
    if not _is_or_none(delta.from_text, ToolCall):
        raise misfit("ToolCallDelta.from_text", delta.from_text, "a ToolCall or None")


def expect_calls(calls: object) -> tuple[ToolCall, ...]:
    """The tool calls of a whole reply.

    Raises:
        ProviderError: they are not a tuple or list of ToolCall.
    """
    if not is_array(calls):
        raise misfit("ModelResponse.tool_calls", calls, "a tuple of ToolCall")
    for call in calls:
        if not isinstance(call, ToolCall):
            raise misfit("an item of ModelResponse.tool_calls", call, "a ToolCall")
    return tuple(calls)


def _expect_text(value: object, where: str) -> None:
    if not isinstance(value, str):
        raise misfit(where, value, "a str")


def _is_or_none(value: object, kind: type) -> bool:
    return value is None or isinstance(value, kind)
