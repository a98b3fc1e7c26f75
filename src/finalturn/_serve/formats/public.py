"""Makes plain JSON of messages, tool calls and results, with only what a client may see.

A tool's result is for the person too, and so is the text of a `ToolError`. Of any other failure a client sees
the tool's name and the kind. What a provider wants back, the last rejected answer, and the names of providers
stay here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pydantic_core

from finalturn._core.frozen import thaw
from finalturn._core.json_schema import json_form
from finalturn._core.messages import Message, Role, ToolCall
from finalturn._core.result import AgentResult
from finalturn._core.tool_outcome import ToolFailure
from finalturn._response_format import is_adapter
from finalturn._serve.formats.unwritable import unwritable_field

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = [
    "parsed_to_json",
    "parsed_writer",
    "public_call",
    "public_message",
    "public_result",
    "public_tool_message",
]

_FAILED: dict[ToolFailure | None, str] = {
    "arguments": "the arguments were not valid",
    "unknown_tool": "there is no such tool",
    "error": "the tool failed",
    "timeout": "the tool took too long",
    "policy": "the call was not allowed",
    "approval": "the call was not approved",
    "coherence": "the call did not fit the conversation",
    None: "the tool failed",
}

MALFORMED_CALL = "the arguments were not valid"


def parsed_to_json(value: object) -> Any:
    """A value in JSON types, as pydantic serialises it, by alias.

    Raises:
        Exception: it holds something that has no JSON form.
    """
    # What serialisers of users return is looked at too.
    return json_form(pydantic_core.to_jsonable_python(value, by_alias=True, inf_nan_mode="strings"))


def parsed_writer(response_format: object) -> Callable[[Any], Any]:
    """What gives ``parsed`` in JSON types.

    Args:
        response_format: of the agent. What a ``TypeAdapter`` says about serialising is done too.
    """
    if is_adapter(response_format):
        return partial(_dumped, response_format)
    return parsed_to_json


def _dumped(adapter: TypeAdapter[Any], value: object) -> Any:
    return parsed_to_json(adapter.dump_python(value, mode="json", by_alias=True))


def public_call(call: ToolCall) -> dict[str, Any]:
    """A tool call: ``name``, ``arguments``, ``id``, and ``error``, all of them always there."""
    return {
        "name": call.name,
        "arguments": thaw(call.arguments),
        "id": call.id,
        "error": None if call.error is None else MALFORMED_CALL,
    }


def public_tool_message(message: Message) -> dict[str, Any]:
    """A TOOL message: ``tool_name``, ``tool_call_id``, ``tool_result``, ``tool_failure`` and ``content``.

    ``content`` is the text to show: the result, the text of a `ToolError`, or the kind of failure in words.
    """
    failed = message.tool_result is None
    may_be_shown = not failed or message.tool_failure == "tool_error"
    return {
        "role": "tool",
        "content": message.content if may_be_shown else _FAILED[message.tool_failure],
        "tool_name": message.tool_name,
        "tool_call_id": message.tool_call_id,
        "tool_result": message.tool_result,
        "tool_failure": (message.tool_failure or "error") if failed else None,
    }


def public_message(message: Message) -> dict[str, Any]:
    """Any message of a conversation."""
    if message.role is Role.TOOL:
        return public_tool_message(message)
    fields: dict[str, Any] = {"role": str(message.role), "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [public_call(call) for call in message.tool_calls]
    if message.content_parts:
        fields["content_parts"] = [part.to_dict() for part in message.content_parts]
    if message.structured is not None:
        fields["structured"] = message.structured
    return fields


def public_result(result: AgentResult[Any], to_json: Callable[[Any], Any] = parsed_to_json) -> dict[str, Any]:
    """A turn's result, but for the names of providers and what did not validate.

    Args:
        result: the result.
        to_json: gives ``parsed`` in JSON types; see `parsed_writer`.
    """
    usage = result.usage
    parsed, parsed_error = _parsed(result.parsed, to_json)
    return {
        "content": result.content,
        "text": result.text,
        "parsed": parsed,
        "parsed_error": parsed_error,
        "structured_status": result.structured_status,
        "structured_error": result.structured_error,
        "stop_reason": result.stop_reason,
        "limit": result.limit,
        "messages": [public_message(message) for message in result.messages],
        "tool_calls": [public_call(call) for call in result.tool_calls],
        "usage": {
            "input_tokens": usage.input_tokens,
            "cached_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
            "reasoning_tokens": usage.reasoning_tokens,
            "total_tokens": usage.total_tokens,
            "unreported_calls": usage.unreported_calls,
        },
        "model_calls": result.model_calls,
        "answer_call": result.answer_call,
    }


def _parsed(value: Any, to_json: Callable[[Any], Any]) -> tuple[Any, str | None]:
    """``parsed`` in JSON types, or why it has none: the turn is paid for, and its text is there."""
    if value is None:
        return None, None
    try:
        return to_json(value), None
    except Exception as error:
        field = unwritable_field(value, parsed_to_json)
        subject = f"its field {field!r}" if field else "the value"
        return None, f"{subject} has no JSON form ({type(error).__name__}); content has the answer as text"
