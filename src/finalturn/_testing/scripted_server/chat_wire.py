"""Model events as a chat-completions server writes them.

Field names are those of OpenAI's API reference (chat completions, and its chunk object);
``reasoning_content`` is what other servers send beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.json_text import encode
from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn._core.result import Usage

__all__ = ["DONE", "ChunkWriter", "completion", "error_body", "sse"]

DONE = b"data: [DONE]\n\n"


def sse(value: object) -> bytes:
    """A value as one SSE record."""
    return b"data: " + encode(value) + b"\n\n"


def error_body(error: ProviderError) -> dict[str, Any]:
    """An error object; its message is the vendor's words where the error has them."""
    return {"error": {"message": error.detail or str(error), "type": "scripted_error", "code": error.code}}


class ChunkWriter:
    """Writes one streamed answer.

    Args:
        head: the fields that every chunk repeats.
        with_usage: the request asked for a usage chunk.
    """

    def __init__(self, head: dict[str, Any], *, with_usage: bool) -> None:
        self._head = {**head, "object": "chat.completion.chunk"}
        self._with_usage = with_usage
        self._begun = False

    def records(self, event: ModelEvent) -> Iterator[bytes]:
        """The SSE records of an event; before the first one, that of the role."""
        if not self._begun:
            self._begun = True
            yield self._choice({"role": "assistant", "content": ""}, None)
        if not isinstance(event, ModelEnd):
            yield self._choice(_delta(event), None)
            return
        yield self._choice({}, _finish_reason(event.finish_reason))
        if self._with_usage and event.usage is not None:
            yield sse({**self._head, "choices": [], "usage": _usage(event.usage)})

    def _choice(self, delta: dict[str, Any], finish_reason: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return sse({**self._head, "choices": [choice]})


def completion(head: dict[str, Any], events: Iterable[ModelEvent]) -> dict[str, Any]:
    """The body of an answer that is not streamed."""
    text: list[str] = []
    reasoning: list[str] = []
    calls: list[dict[str, Any]] = []
    end: ModelEnd | None = None
    for event in events:
        if isinstance(event, TextDelta):
            text.append(event.text)
        elif isinstance(event, ReasoningDelta):
            reasoning.append(event.text)
        elif isinstance(event, ToolCallDelta):
            _add_to(calls, event)
        else:
            end = event
    message: dict[str, Any] = {"role": "assistant", "content": "".join(text) or None}
    if reasoning:
        message["reasoning_content"] = "".join(reasoning)
    if calls:
        message["tool_calls"] = [{key: call[key] for key in ("id", "type", "function")} for call in calls]
    reason = end and _finish_reason(end.finish_reason)
    choice = {"index": 0, "message": message, "finish_reason": reason}
    body: dict[str, Any] = {**head, "object": "chat.completion", "choices": [choice]}
    if end is not None and end.usage is not None:
        body["usage"] = _usage(end.usage)
    return body


def _add_to(calls: list[dict[str, Any]], delta: ToolCallDelta) -> None:
    """Put a piece to the call of its index, or to the last one; a malformed call stays as it is."""
    same = [call for call in calls if call["index"] == delta.index]
    if not same or (delta.index is None and delta.name):
        function = {"name": "", "arguments": ""}
        call: dict[str, Any] = {"index": delta.index, "id": delta.id, "type": "function"}
        same = [{**call, "function": function}]
        calls += same
    same[-1]["function"]["name"] += delta.name
    same[-1]["function"]["arguments"] += delta.arguments


def _delta(event: TextDelta | ReasoningDelta | ToolCallDelta) -> dict[str, Any]:
    if isinstance(event, TextDelta):
        return {"content": event.text}
    if isinstance(event, ReasoningDelta):
        return {"reasoning_content": event.text}
    function = {"name": event.name} if event.name else {}
    entry: dict[str, Any] = {"function": {**function, "arguments": event.arguments}}
    if event.index is not None:
        entry["index"] = event.index
    if event.id is not None:
        entry |= {"id": event.id, "type": "function"}
    return {"tool_calls": [entry]}


def _finish_reason(reason: str) -> str:
    return "content_filter" if reason == "refusal" else reason


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
