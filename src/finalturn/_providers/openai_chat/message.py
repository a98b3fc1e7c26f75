"""Reads the parts of a chat completions message, as the servers that speak the format write them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn._core.model import FinishReason, ToolCallDelta
from finalturn._providers.json_types import arguments_text, as_array, as_int, as_object, as_text
from finalturn._providers.openai_chat.history import CALL_EXTRA

_FINISH: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refusal",
    "refusal": "refusal",
    "safety": "refusal",
    # Zhipu, "Chat completion".
    "sensitive": "refusal",
}
# Reasons by which a server says that it failed.
_FAILED = frozenset({"error", "abort", "insufficient_system_resource", "network_error"})
# Of Gemini, as servers hand it on: "function_call_filter: MALFORMED_FUNCTION_CALL". The model may write a
# better call the next time.
_UNREADABLE = ("malformed_function_call", "malformed_tool_use", "malformed_response", "unexpected_tool_call")


def finish_reason(stop_reason: object) -> FinishReason | None:
    """Why the model stopped; ``None`` when it did not stop by itself but failed."""
    name = as_text(stop_reason).lower()
    if name.endswith(_UNREADABLE):
        return None
    return None if name in _FAILED else _FINISH.get(name, "stop")


def content_pieces(content: object) -> Iterator[tuple[str, bool]]:
    """The text of a content, and whether it is reasoning. It is a string, or a list of typed parts."""
    if isinstance(content, str):
        yield content, False
    for part in as_array(content):
        if isinstance(part, str):
            yield part, False
        else:
            yield from _part_pieces(as_object(part))


def _part_pieces(part: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    kind = part.get("type")
    if kind in ("thinking", "reasoning"):
        for text, _ in content_pieces(part.get(kind) or part.get("text")):
            yield text, True
    elif kind in ("text", "output_text", "refusal"):
        yield as_text(part.get("text") or part.get("refusal")), False


def reasoning_text(message: dict[str, Any], fields: tuple[str, ...]) -> str:
    """The reasoning in a message, from the first field that holds any."""
    for field in fields:
        value = message.get(field)
        if value:
            text = as_text(value) or "".join(map(_detail_text, as_array(value)))
            if text:
                return text
    return ""


def _detail_text(part: object) -> str:
    detail = as_object(part)
    return as_text(detail.get("text") or detail.get("summary"))


def call_deltas(entries: object, *, whole: bool) -> Iterator[ToolCallDelta]:
    """The pieces of calls in a message.

    Args:
        whole: each entry is a call of its own, whatever index it has.
    """
    for place, entry in enumerate(as_array(entries)):
        call = as_object(entry)
        function = as_object(call.get("function"))
        extra = as_object(call.get(CALL_EXTRA))
        yield ToolCallDelta(
            place if whole else as_int(call.get("index")),
            as_text(call.get("id")) or None,
            as_text(function.get("name")),
            arguments_text(function.get("arguments")),
            {CALL_EXTRA: extra} if extra else None,
        )


def legacy_calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The one call of a message in the form that came before tools: ``function_call`` has no id.

    OpenAI's API reference (chat completions) calls it deprecated; older servers and gateways send it.
    """
    function = as_object(message.get("function_call"))
    return [{"index": 0, "function": function}] if function else []
