"""What a client over HTTP is told of a turn, as the values that the other surfaces give."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from finalturn import (
    Agent,
    AgentResult,
    Message,
    NestedActivity,
    PartialObject,
    Role,
    StreamChunk,
    ToolCall,
    Usage,
)
from finalturn._agent.agent import output_of_agent
from finalturn._core.output import Answer
from finalturn._serve.formats.items import (
    Activity,
    Content,
    Ended,
    Event,
    Item,
    Partial,
    Reasoning,
    RunFailed,
    RunStarted,
    ToolCalled,
    ToolDone,
)

FAILED = {
    "arguments": "the arguments were not valid",
    "unknown_tool": "there is no such tool",
    "error": "the tool failed",
    "timeout": "the tool took too long",
    "policy": "the call was not allowed",
    "approval": "the call was not approved",
    "coherence": "the call did not fit the conversation",
}
"""All that a client sees of a tool's failure; of a `ToolError`, it sees the text too."""

MALFORMED = "the arguments were not valid"


class HttpFailure(Exception):
    """A turn has failed: what its client is told.

    Attributes:
        code: why, for programs.
        retryable: whether the same turn may succeed later.
    """

    def __init__(self, code: str, message: str, retryable: bool) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable


def told(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Messages as a client over HTTP may see them."""
    return tuple(_told(message) for message in messages)


def _told(message: Message) -> Message:
    calls = tuple(
        ToolCall(call.name, call.arguments, call.id, None if call.error is None else MALFORMED)
        for call in message.tool_calls
    )
    failure = message.tool_failure
    if failure is not None and failure != "tool_error":
        message = replace(message, content=FAILED[failure])
    return replace(message, tool_calls=calls)


def value_of(item: Item, agent: Agent[Any, Any]) -> StreamChunk | AgentResult[Any] | HttpFailure | None:
    """An item of a stream; ``None`` for the one that only says that the turn begins."""
    match item:
        case RunStarted():
            return None
        case Content(text, call):
            return StreamChunk(content=text, call=call)
        case Reasoning(text, call):
            return StreamChunk(reasoning=text, call=call)
        case ToolCalled(tool_call, call):
            return StreamChunk(tool_calls=(_call(tool_call),), call=call)
        case ToolDone(message, call):
            return StreamChunk(tool_message=message_of(message), call=call)
        case Event(event, call):
            return StreamChunk(event=event, call=call)
        case Partial(value, call):
            return StreamChunk(partial=PartialObject(value), call=call)
        case Activity(tool, tool_call_id, index, inner, call):
            chunk = value_of(inner, agent)
            assert isinstance(chunk, StreamChunk), "what an agent shows are chunks"
            return StreamChunk(activity=NestedActivity(tool_call_id, tool, chunk, index), call=call)
        case Ended(result):
            return result_of(result, agent)
        case RunFailed(failure):
            return HttpFailure(failure.code, failure.message, failure.retryable)


def message_of(document: Mapping[str, Any]) -> Message:
    """A message of a conversation."""
    return Message.from_dict(document)


def _call(document: Mapping[str, Any]) -> ToolCall:
    return ToolCall(document["name"], document["arguments"], document["id"], document["error"])


def result_of(document: Mapping[str, Any], agent: Agent[Any, Any]) -> AgentResult[Any]:
    """A result: what was parsed is validated again, as a client would that has the same response_format."""
    messages = tuple(map(message_of, document["messages"]))
    spoken = [message for message in messages if message.role is Role.ASSISTANT]
    return AgentResult(
        message=spoken[-1] if spoken else None,
        content=document["content"],
        parsed=_parsed(document, agent),
        structured_status=document["structured_status"],
        structured_error=document["structured_error"],
        text=document["text"],
        messages=messages,
        tool_calls=tuple(map(_call, document["tool_calls"])),
        usage=Usage(**document["usage"]),
        model_calls=document["model_calls"],
        answer_call=document["answer_call"],
        stop_reason=document["stop_reason"],
        limit=document["limit"],
    )


def _parsed(document: Mapping[str, Any], agent: Agent[Any, Any]) -> Any:
    output = output_of_agent(agent)
    if output is None or document["structured_status"] != "ok":
        assert document["parsed"] is None
        return None
    if document["parsed_error"] is not None:
        assert document["parsed"] is None
        return None
    answer = output.validate(json.dumps(document["parsed"]))
    assert isinstance(answer, Answer), "what was parsed does not validate again"
    return answer.value
