"""`Item`: the one sequence that every stream format is made of, with only what a client may see of a turn.

A turn's chunks become items here, and nowhere else. So what a client must not see - an exception's text, a
provider's opaque data - cannot reach any format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from finalturn._core.chunks import StreamChunk, StreamEvent
from finalturn._core.frozen import thaw
from finalturn._serve.formats.public import public_call, public_tool_message
from finalturn._serve.problems.failure import Failure

__all__ = [
    "Activity",
    "Content",
    "Ended",
    "Event",
    "Item",
    "Partial",
    "Projection",
    "Reasoning",
    "Record",
    "RunFailed",
    "RunStarted",
    "ToolCalled",
    "ToolDone",
    "item_of",
    "parsed_data",
]


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The turn begins; always first."""

    run_id: str
    session: str | None


@dataclass(frozen=True, slots=True)
class Content:
    """A piece of the text that a person sees; never empty."""

    text: str
    call: int


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A piece of what the model thinks aloud; never empty."""

    text: str
    call: int


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """A tool call, about to run; see `public_call`."""

    tool_call: Mapping[str, Any]
    call: int


@dataclass(frozen=True, slots=True)
class ToolDone:
    """The outcome of a tool call; see `public_tool_message`."""

    message: Mapping[str, Any]
    call: int


@dataclass(frozen=True, slots=True)
class Event:
    """What a surface is told beside the text."""

    event: StreamEvent
    call: int


@dataclass(frozen=True, slots=True)
class Partial:
    """The structured answer as far as it is known."""

    value: Any
    call: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What an agent shows that runs as a tool.

    Attributes:
        tool: the name of the tool.
        tool_call_id: the model's id of the tool call; ``None`` without one.
        index: the place of the tool call among those of its model call.
        item: what it shows, as an item of its own turn.
        call: the model call that asks for the tool.
    """

    tool: str
    tool_call_id: str | None
    index: int
    item: Item
    call: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The turn's result; the last item. See `public_result`."""

    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The turn has failed; the last item."""

    failure: Failure


Item: TypeAlias = (
    RunStarted | Content | Reasoning | ToolCalled | ToolDone | Event | Partial | Activity | Ended | RunFailed
)


def item_of(chunk: StreamChunk) -> Item:
    """What a client may see of a chunk."""
    if chunk.content:
        return Content(chunk.content, chunk.call)
    if chunk.reasoning:
        return Reasoning(chunk.reasoning, chunk.call)
    if chunk.tool_calls:
        return ToolCalled(public_call(chunk.tool_calls[0]), chunk.call)
    if chunk.tool_message is not None:
        return ToolDone(public_tool_message(chunk.tool_message), chunk.call)
    if chunk.partial is not None:
        return Partial(thaw(chunk.partial.value), chunk.call)
    if (nested := chunk.activity) is not None:
        return Activity(nested.tool, nested.call_id, nested.index, item_of(nested.chunk), chunk.call)
    assert chunk.event is not None, "a chunk has one purpose"
    return Event(chunk.event, chunk.call)


def parsed_data(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a front end is told of a structured answer: its value, or why it cannot be sent."""
    answer_call = {"call": result["answer_call"]}
    if result["parsed_error"] is not None:
        return {"status": "unavailable", "error": result["parsed_error"], **answer_call}
    return {"status": "ok", "value": result["parsed"], **answer_call}


Record: TypeAlias = Mapping[str, Any] | str
"""A JSON object, or a text that is sent as it is."""


class Projection(Protocol):
    """Turns one turn's items into the records of a format.

    It does no I/O, and reads no clock: the same items give the same records. It is made for one turn, and may
    remember what it needs of earlier items.
    """

    def records(self, item: Item, /) -> Sequence[Record]:
        """The records of the next item."""
        ...
