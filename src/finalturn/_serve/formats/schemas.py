"""The types of a conversation as a client may see it: `public.py` makes such values.

Here and in the modules beside it stands the one declaration of what goes over the wire. The OpenAPI document
is made from it, and tests hold what is really sent against it. A field may be added to each; none goes.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypeAliasType, TypedDict

from finalturn._core.limits import LimitName
from finalturn._core.result import StopReason, StructuredStatus
from finalturn._core.tool_outcome import ToolFailure

__all__ = [
    "AssistantMessage",
    "Image",
    "Message",
    "Result",
    "SystemMessage",
    "ToolCall",
    "ToolMessage",
    "Usage",
    "UserMessage",
]

Count = Annotated[int, Field(ge=0)]


class Image(TypedDict):
    """An image: where it is, or its bytes as base64 text."""

    kind: Literal["image"]
    url: NotRequired[Annotated[str, Field(description="An https: or data: URL.")]]
    data: NotRequired[Annotated[str, Field(description="The image's bytes as base64 text.")]]
    media_type: NotRequired[Annotated[str, Field(description="Its MIME type; always there with data.")]]


class ToolCall(TypedDict):
    """A tool that the model has asked for."""

    name: str
    arguments: Annotated[
        dict[str, Any], Field(description="Empty when what the model wrote was no JSON object.")
    ]
    id: Annotated[
        str | None,
        Field(description="The model's id of the call; null when it wrote the call as text."),
    ]
    error: Annotated[str | None, Field(description="Why the call cannot run, in words; null when it can.")]


class ToolMessage(TypedDict):
    """How a tool call went."""

    role: Literal["tool"]
    content: Annotated[str, Field(description="To be shown: the result, or in words why there is none.")]
    tool_name: Annotated[str | None, Field(description="The tool.")]
    tool_call_id: Annotated[
        str | None,
        Field(description="The call's id. With null, messages follow in the order of the calls."),
    ]
    tool_result: Annotated[str | None, Field(description="The tool's result; null when there is none.")]
    tool_failure: Annotated[
        ToolFailure | None, Field(description="Why there is no result; null when there is one.")
    ]


class SystemMessage(TypedDict):
    """Instructions of the developer."""

    role: Literal["system"]
    content: str


class UserMessage(TypedDict):
    """What the person said."""

    role: Literal["user"]
    content: str
    content_parts: NotRequired[Annotated[list[Image], Field(description="Images; left out without any.")]]


class AssistantMessage(TypedDict):
    """What the model said, and which tools it asked for."""

    role: Literal["assistant"]
    content: str
    tool_calls: NotRequired[Annotated[list[ToolCall], Field(description="In order; left out without any.")]]
    content_parts: NotRequired[Annotated[list[Image], Field(description="Images; left out without any.")]]
    structured: NotRequired[
        Annotated[
            str,
            Field(description="The JSON text of the structured answer; only of the message that holds it."),
        ]
    ]


# A named type, so that the document names it too.
Message = TypeAliasType(
    "Message",
    Annotated[SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")],
)


class Usage(TypedDict):
    """Tokens of all model calls of a turn, as the model's provider counts them."""

    input_tokens: Annotated[Count, Field(description="Read, those from a cache included.")]
    cached_tokens: Annotated[Count, Field(description="Of these, from a cache.")]
    output_tokens: Annotated[Count, Field(description="Written, reasoning included.")]
    reasoning_tokens: Annotated[Count, Field(description="Of these, reasoning.")]
    total_tokens: Annotated[Count, Field(description="Input and output, or the provider's own total.")]
    unreported_calls: Annotated[
        Count,
        Field(description="Model calls of which nothing is known. With any, the other figures are too low."),
    ]


class Result(TypedDict):
    """What a turn ended with."""

    run_id: str
    content: Annotated[
        str, Field(description="The answer's text; its JSON text when there is a structured answer.")
    ]
    text: Annotated[str, Field(description="All that was shown, joined.")]
    parsed: Annotated[
        Any,
        Field(
            description="The structured answer, validated; null when structured_status is not `ok`, and when"
            " parsed_error says why."
        ),
    ]
    parsed_error: Annotated[
        str | None,
        Field(
            description="Why parsed is null though structured_status is `ok`: the value has no JSON form."
            " The answer's JSON text is in content. Else null."
        ),
    ]
    structured_status: Annotated[
        StructuredStatus | None,
        Field(
            description="`ok`: parsed holds the answer. `validation_failed`: no answer validated."
            " `skipped`: the turn needed none. `not_attempted`: the turn ended before, as stop_reason says."
            " null: the agent has no structured answers."
        ),
    ]
    structured_error: Annotated[
        str | None, Field(description="Why there is no structured answer, in words; else null.")
    ]
    stop_reason: Annotated[
        StopReason,
        Field(
            description="`completed`: the model was done. `iteration_limit`: it still called tools after as"
            " many rounds as it may. `terminal_tool`: a tool ended the turn. `truncated`: the answer was cut."
            " `refused`: the model refused. `limit_reached`: it would have passed a limit; see limit."
        ),
    ]
    limit: Annotated[
        LimitName | None,
        Field(
            description="Which limit the turn reached; null unless stop_reason is `limit_reached`."
            " `requests`: calls of the model. `seconds`: time. The others are what they say."
        ),
    ]
    messages: Annotated[list[Message], Field(description="What the turn adds to the conversation, in order.")]
    tool_calls: Annotated[list[ToolCall], Field(description="All that the model asked for, in order.")]
    usage: Usage
    model_calls: Annotated[Count, Field(description="How many calls of the model the turn made.")]
    answer_call: Annotated[
        Count | None, Field(description="The number, from 0, of the one that gave the answer.")
    ]
