"""The items that a script may hold, and how they become model events."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import ToolCall
from finalturn._core.model import (
    ModelEnd,
    ModelEvent,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.result import Usage
from finalturn._core.textcalls import block_of

__all__ = [
    "Cut",
    "Hook",
    "Item",
    "Pause",
    "RawCall",
    "Step",
    "Word",
    "items_of",
    "refuse_awaitable",
    "steps",
]


@dataclass(frozen=True, slots=True)
class Pause:
    """A wait, in seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Cut:
    """The answer breaks off here, without a terminal marker."""


@dataclass(frozen=True, slots=True)
class RawCall:
    """A tool call with its arguments as text, which may be malformed."""

    name: str
    arguments: str
    id: str | None

    def as_tool_call(self) -> ToolCall:
        """A call that shows this text as its arguments."""
        return ToolCall(self.name, {}, self.id, _text=self.arguments)


Hook: TypeAlias = Callable[[], object]
Word: TypeAlias = str | ModelEvent | ToolCall | RawCall | Usage | Pause | Cut | BaseException
Item: TypeAlias = Word | Hook
"""One thing that happens in an answer."""

Step: TypeAlias = ModelEvent | Pause | Hook
"""What a player does: yield an event, wait, or call a hook."""

_KINDS = (
    *(str, TextDelta, ReasoningDelta, ToolCallDelta, ModelEnd),
    *(ToolCall, RawCall, Usage, Pause, Cut, BaseException),
)


def items_of(answer: object, number: int, more: tuple[type, ...] = ()) -> list[Any]:
    """An answer as a list of items.

    Args:
        answer: one item, a sequence of items, or a `ModelResponse`.
        number: the model call's, from 0, for the error.
        more: further kinds of items that the player knows.

    Raises:
        ConfigurationError: something in it is not an item.
    """
    kinds = (*_KINDS, *more)
    if isinstance(answer, ModelResponse):
        return _of_response(answer)
    several = isinstance(answer, Sequence) and not isinstance(answer, kinds)
    items: list[Any] = list(cast("Sequence[Any]", answer)) if several else [answer]
    for place, item in enumerate(items):
        if not isinstance(item, kinds) and not callable(item):
            raise ConfigurationError(
                f"item {place} of scripted model call {number} is {described(item)}; it must be one of"
                f" {', '.join(kind.__name__ for kind in kinds)}, or a function without arguments"
            )
    return items


def _of_response(response: ModelResponse) -> list[Item]:
    items: list[Item] = []
    if response.reasoning:
        items.append(ReasoningDelta(response.reasoning))
    if response.content:
        items.append(response.content)
    return [*items, *response.tool_calls, ModelEnd(response.finish_reason, response.usage)]


def steps(items: Sequence[Any], number: int, *, native_tools: bool, usage: Usage | None) -> Iterator[Any]:
    """What happens, in order; items that are not of this vocabulary pass as they are.

    Args:
        items: an answer.
        number: the model call's, from 0; it makes the ids of calls unique.
        native_tools: calls are events; else they are written as text.
        usage: tokens of the call, when the items do not say.

    Raises:
        BaseException: an exception that stands among the items.
    """
    calls = 0
    called = ended = False
    for item in items:
        if isinstance(item, str):
            yield TextDelta(item)
        elif isinstance(item, (ToolCall, RawCall)):
            call = item if isinstance(item, ToolCall) else item.as_tool_call()
            if native_tools:
                yield from _deltas(call, calls, call.id or f"call_{number}_{calls}")
                called = True
            else:
                yield TextDelta(block_of(call))
            calls += 1
        elif isinstance(item, BaseException):
            raise item
        elif isinstance(item, Usage):
            usage = item
        elif isinstance(item, Cut):
            return
        elif isinstance(item, ModelEnd):
            ended = True
            yield replace(item, usage=usage) if item.usage is None else item
        else:
            called = called or isinstance(item, ToolCallDelta)
            yield item
    if not ended:
        yield ModelEnd("tool_calls" if called else "stop", usage)


def _deltas(call: ToolCall, index: int, call_id: str) -> Iterator[ToolCallDelta]:
    """A call as most servers send it: its name first, then its arguments in pieces."""
    yield ToolCallDelta(index, call_id, call.name, provider_data=call.provider_data)
    # An error stands for arguments that could not be read: send such.
    text = "{" if call.error else call.arguments_json()
    middle = len(text) // 2
    for piece in (text[:middle], text[middle:]):
        if piece:
            yield ToolCallDelta(index, arguments=piece)


def refuse_awaitable(result: object) -> None:
    """For a player without an event loop: what a hook returned cannot be awaited.

    Raises:
        ConfigurationError: it would have to be.
    """
    if not inspect.isawaitable(result):
        return
    if inspect.iscoroutine(result):
        result.close()
    raise ConfigurationError(
        "a function of this script returned an awaitable, which nothing here can await: give one that waits"
        " itself, such as threading.Event().wait"
    )
