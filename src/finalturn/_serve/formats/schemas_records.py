"""The types of the records of the native stream: `native.py` makes such values."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema
from typing_extensions import TypeAliasType, TypedDict

from finalturn._core.chunks import StreamEvent, presentation_of
from finalturn._serve.formats.schemas import Count, Result, ToolCall, ToolMessage
from finalturn._serve.problems.failure import FailureCode
from finalturn.stability import NEXT, beta

__all__ = [
    "ActivityRecord",
    "ChunkRecord",
    "ErrorRecord",
    "EventRecord",
    "NativeRecord",
    "PartialRecord",
    "ReasoningRecord",
    "ResultRecord",
    "RunRecord",
    "ToolCallRecord",
    "ToolResultRecord",
]

Call = Annotated[Count, Field(description="The number, from 0, of the model call that it belongs to.")]

_EVENT_SCHEMA = {
    "type": "string",
    "enum": [str(event) for event in StreamEvent],
    "description": " ".join(f"`{event}`: {presentation_of(event).meaning}" for event in StreamEvent),
}


class RunRecord(TypedDict):
    """The turn begins. Always the first record."""

    type: Literal["run"]
    run_id: Annotated[str, Field(description="Names the turn: to come back to it, and to stop it.")]
    session: Annotated[str | None, Field(description="Where the turn is saved; null without one.")]


class ChunkRecord(TypedDict):
    """A piece of the text that a person sees."""

    type: Literal["chunk"]
    content: Annotated[str, Field(min_length=1)]
    call: Call


class ReasoningRecord(TypedDict):
    """A piece of what the model thinks aloud. It is no part of the answer."""

    type: Literal["reasoning"]
    reasoning: Annotated[str, Field(min_length=1)]
    call: Call


class ToolCallRecord(TypedDict):
    """A tool is about to run."""

    type: Literal["tool_call"]
    tool_call: ToolCall
    call: Call


class ToolResultRecord(TypedDict):
    """How a tool call went."""

    type: Literal["tool_result"]
    tool_message: ToolMessage
    call: Call


class EventRecord(TypedDict):
    """What a surface is told beside the text."""

    type: Literal["event"]
    event: Annotated[StreamEvent, WithJsonSchema(_EVENT_SCHEMA)]
    call: Call


class PartialRecord(TypedDict):
    """The structured answer as it grows, where the agent shows that. The next one or the end replaces it."""

    type: Literal["partial"]
    partial: Annotated[
        Any,
        Field(
            description="What has come of the answer: an object has some of its keys, an array the first of"
            " its items, a string may be the beginning of one. Nothing but types is validated."
        ),
    ]
    call: Call


class ActivityRecord(TypedDict):
    """What an agent shows that runs as a tool. It is no part of the answer."""

    type: Literal["activity"]
    tool: Annotated[str, Field(description="The tool.")]
    tool_call_id: Annotated[
        str | None, Field(description="The model's id of the tool call; null when it has none.")
    ]
    index: Annotated[
        Count, Field(description="The place of the tool call, from 0, among those of its model call.")
    ]
    activity: ShownRecord
    call: Call


ShownRecord = TypeAliasType(
    "ShownRecord",
    Annotated[
        ChunkRecord
        | ReasoningRecord
        | ToolCallRecord
        | ToolResultRecord
        | EventRecord
        | PartialRecord
        | ActivityRecord,
        Field(
            discriminator="type",
            description="A record of the agent's own turn; its call is that of a model call of that turn.",
        ),
    ],
)


class ResultRecord(Result):
    """What the turn ended with. The last record, or else `ErrorRecord` is."""

    type: Literal["result"]


class ErrorRecord(TypedDict):
    """Why the turn failed. The last record, or else `ResultRecord` is. Nothing of the turn was saved."""

    type: Literal["error"]
    code: Annotated[FailureCode, Field(description="For programs.")]
    message: Annotated[str, Field(description="For people.")]
    retryable: Annotated[bool, Field(description="Whether the same turn may succeed later.")]


NativeRecord = TypeAliasType(
    "NativeRecord",
    Annotated[
        RunRecord
        | ChunkRecord
        | ReasoningRecord
        | ToolCallRecord
        | ToolResultRecord
        | EventRecord
        | PartialRecord
        | ActivityRecord
        | ResultRecord
        | ErrorRecord,
        Field(discriminator="type"),
    ],
)
"""What the native stream is made of: dictionaries, told apart by their ``type``."""
beta(since=NEXT).constant(__name__, "NativeRecord")
