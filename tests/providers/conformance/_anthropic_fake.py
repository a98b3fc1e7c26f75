"""Answers as Anthropic writes them: its pages "Streaming messages", "Messages" and "Errors"."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from finalturn import ProviderError, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._vendor import Received, UnsayableError, Whole, Wire
from tests.providers.conformance._words import as_object, blocks, dumps, reason_of, sse, texts, usage_of

REASONS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "refusal": "refusal"}
ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    500: "api_error",
    503: "overloaded_error",
}
SIGNATURE = "c2lnbmVkIGJ5IGFudGhyb3BpYw=="

NO_BROKEN_INPUT = "the input of a call is an object in a whole answer, so it cannot be malformed"


class AnthropicWire(Wire):
    """The Messages API."""

    def streams(self, request: Received) -> bool:
        return bool(json.loads(request.body).get("stream"))

    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        message = _message([], None, {**_usage(answer), "output_tokens": 1}, request)
        yield _event("message_start", message=message)
        yield _event("ping")
        for index, block in enumerate(blocks(answer)):
            first = next(block)
            yield _event("content_block_start", index=index, content_block=_begin(first))
            for text in texts(chain([first], block)):
                yield _event("content_block_delta", index=index, delta=_delta(first, text))
            if isinstance(first, ReasoningDelta):
                delta = {"type": "signature_delta", "signature": SIGNATURE}
                yield _event("content_block_delta", index=index, delta=delta)
            yield _event("content_block_stop", index=index)
        if answer.error is not None:
            yield sse(_error(answer.error), "error")
        elif not answer.cut:
            stop = {"stop_reason": REASONS[reason_of(answer)], "stop_sequence": None}
            yield _event("message_delta", delta=stop, usage=_usage(answer))
            yield _event("message_stop")

    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        content: list[dict[str, Any]] = []
        for block in blocks(answer):
            first = next(block)
            text = "".join(texts(chain([first], block)))
            found = _begin(first)
            if isinstance(first, ToolCallDelta):
                if (found_input := as_object(text)) is None:
                    raise UnsayableError(NO_BROKEN_INPUT)
                found["input"] = found_input
            elif isinstance(first, ReasoningDelta):
                found |= {"thinking": text, "signature": SIGNATURE}
            else:
                found["text"] = text
            content.append(found)
        return dumps(_message(content, REASONS[reason_of(answer)], _usage(answer), request))

    def refusal(self, error: ProviderError) -> Whole:
        return Whole(error.status or 500, dumps(_error(error)))


def _event(kind: str, **fields: Any) -> bytes:
    return sse({"type": kind, **fields}, kind)


def _message(
    content: list[dict[str, Any]], reason: str | None, usage: dict[str, Any], request: Received
) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": json.loads(request.body)["model"],
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(answer: ScriptedAnswer) -> dict[str, Any]:
    """Cached tokens are counted beside the others, and thoughts are part of the output."""
    usage = usage_of(answer)
    return {
        "input_tokens": usage.input_tokens - usage.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
    }


def _begin(first: object) -> dict[str, Any]:
    if isinstance(first, ToolCallDelta):
        return {"type": "tool_use", "id": first.id, "name": first.name, "input": {}}
    if isinstance(first, TextDelta):
        return {"type": "text", "text": ""}
    return {"type": "thinking", "thinking": "", "signature": ""}


def _delta(first: object, text: str) -> dict[str, Any]:
    if isinstance(first, ToolCallDelta):
        return {"type": "input_json_delta", "partial_json": text}
    if isinstance(first, TextDelta):
        return {"type": "text_delta", "text": text}
    return {"type": "thinking_delta", "thinking": text}


def _error(error: ProviderError) -> dict[str, Any]:
    kind = ERRORS.get(error.status or 500, "api_error")
    return {"type": "error", "error": {"type": kind, "message": error.detail}, "request_id": "req_1"}
