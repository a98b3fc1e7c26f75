"""Answers as Amazon Bedrock writes them.

After its API reference, `Converse` and `ConverseStream`, and "Event stream encoding" of Amazon's protocols.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from finalturn import ProviderError, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn.testing import ScriptedAnswer
from tests.providers._bedrock_wire import event, exception
from tests.providers.conformance._vendor import Received, UnsayableError, Whole, Wire
from tests.providers.conformance._words import Piece, as_object, blocks, dumps, reason_of, texts, usage_of

REASONS = {
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "refusal": "guardrail_intervened",
}
ERRORS = {
    400: "ValidationException",
    401: "AccessDeniedException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}
SIGNATURE = "c2lnbmVkIGJ5IGJlZHJvY2s="

NO_BROKEN_INPUT = "the input of a call is an object in a whole answer, so it cannot be malformed"


class BedrockWire(Wire):
    """Converse."""

    content_type = "application/vnd.amazon.eventstream"

    def streams(self, request: Received) -> bool:
        return request.target.endswith("/converse-stream")

    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        yield event("messageStart", {"role": "assistant", "p": "abcd"})
        for index, block in enumerate(blocks(answer)):
            at = {"contentBlockIndex": index}
            first = next(block)
            if isinstance(first, ToolCallDelta):
                # The only kind that has a beginning.
                start = {"toolUse": {"toolUseId": first.id, "name": first.name}}
                yield event("contentBlockStart", {"start": start, **at, "p": "ab"})
            for text in texts(chain([first], block)):
                yield event("contentBlockDelta", {"delta": _delta(first, text), **at, "p": "abc"})
            if isinstance(first, ReasoningDelta):
                signed = {"reasoningContent": {"signature": SIGNATURE}}
                yield event("contentBlockDelta", {"delta": signed, **at, "p": "a"})
            yield event("contentBlockStop", {**at, "p": "abcdef"})
        if answer.error is not None:
            name = ERRORS.get(answer.error.status or 500, "InternalServerException")
            yield exception(name[0].lower() + name[1:], message=answer.error.detail)
        elif not answer.cut:
            yield event("messageStop", {"stopReason": REASONS[reason_of(answer)], "p": "ab"})
            yield event("metadata", {"usage": _usage(answer), "metrics": {"latencyMs": 1}, "p": "a"})

    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        content: list[dict[str, Any]] = []
        for block in blocks(answer):
            first = next(block)
            content.append(_block(first, "".join(texts(chain([first], block)))))
        return dumps(
            {
                "output": {"message": {"role": "assistant", "content": content}},
                "stopReason": REASONS[reason_of(answer)],
                "usage": _usage(answer),
                "metrics": {"latencyMs": 1},
            }
        )

    def refusal(self, error: ProviderError) -> Whole:
        status = error.status or 500
        kind = (
            f"X-Amzn-ErrorType: {ERRORS.get(status, 'InternalServerException')}:http://internal.amazon.com/"
        )
        headers = ("Content-Type: application/json", kind)
        return Whole(status, dumps({"message": error.detail}), headers)


def _delta(first: Piece, text: str) -> dict[str, Any]:
    if isinstance(first, ToolCallDelta):
        return {"toolUse": {"input": text}}
    return {"text": text} if isinstance(first, TextDelta) else {"reasoningContent": {"text": text}}


def _block(first: Piece, text: str) -> dict[str, Any]:
    if isinstance(first, TextDelta):
        return {"text": text}
    if isinstance(first, ReasoningDelta):
        return {"reasoningContent": {"reasoningText": {"text": text, "signature": SIGNATURE}}}
    found = as_object(text)
    if found is None:
        raise UnsayableError(NO_BROKEN_INPUT)
    return {"toolUse": {"toolUseId": first.id, "name": first.name, "input": found}}


def _usage(answer: ScriptedAnswer) -> dict[str, int]:
    """Cached tokens are counted beside the others, and thoughts are part of the output."""
    usage = usage_of(answer)
    return {
        "inputTokens": usage.input_tokens - usage.cached_tokens,
        "cacheReadInputTokens": usage.cached_tokens,
        "cacheWriteInputTokens": 0,
        "outputTokens": usage.output_tokens,
        "totalTokens": usage.total_tokens,
    }
