"""Answers as Google writes them.

After the reference of `GenerateContentResponse`, and the guides "Function calling" and "Thinking".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn import ProviderError, ReasoningDelta, ToolCallDelta
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._vendor import Received, UnsayableError, Whole, Wire
from tests.providers.conformance._words import Piece, as_object, blocks, dumps, reason_of, texts, usage_of

REASONS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 500: "INTERNAL", 503: "UNAVAILABLE"}
SIGNATURE = "c2lnbmVkIGJ5IGdlbWluaQ=="

NO_BROKEN_ARGS = "the args of a call are an object, so they cannot be malformed"


class GeminiWire(Wire):
    """generateContent.

    Args:
        ids: calls have ids, as Gemini 3 gives them and the models before it do not.
    """

    def __init__(self, *, ids: bool) -> None:
        self._ids = ids

    def streams(self, request: Received) -> bool:
        return ":streamGenerateContent" in request.target

    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        for part in self._parts(answer):
            yield _event(_record([part], None, answer))
        if answer.error is not None:
            yield _event(_error(answer.error))
        elif not answer.cut:
            # The reason comes with a last part that says nothing.
            yield _event(_record([{"text": ""}], REASONS[reason_of(answer)], answer))

    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        return dumps(_record(list(self._parts(answer)), REASONS[reason_of(answer)], answer))

    def refusal(self, error: ProviderError) -> Whole:
        return Whole(error.status or 500, dumps(_error(error)))

    def _parts(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        called = False
        for block in blocks(answer):
            for piece in block:
                if isinstance(piece, ToolCallDelta):
                    yield self._call(piece, block, first=not called)
                    called = True
                elif isinstance(piece, ReasoningDelta):
                    yield {"text": piece.text, "thought": True}
                else:
                    yield {"text": piece.text}

    def _call(self, begun: ToolCallDelta, rest: Iterator[Piece], *, first: bool) -> dict[str, Any]:
        """A call, which comes whole. The first of a response has the signature of the thoughts behind it."""
        args = as_object(begun.arguments + "".join(texts(rest)))
        if args is None:
            raise UnsayableError(NO_BROKEN_ARGS)
        call: dict[str, Any] = {"name": begun.name, "args": args}
        if self._ids:
            call["id"] = begun.id
        return {"functionCall": call} | ({"thoughtSignature": SIGNATURE} if first else {})


def _event(record: dict[str, Any]) -> bytes:
    return b"data: " + dumps(record) + b"\r\n\r\n"


def _record(parts: list[dict[str, Any]], reason: str | None, answer: ScriptedAnswer) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
    if reason is not None:
        candidate["finishReason"] = reason
    usage = usage_of(answer)
    # The output's thoughts are counted beside the candidates' tokens.
    tokens = {
        "promptTokenCount": usage.input_tokens,
        "cachedContentTokenCount": usage.cached_tokens,
        "candidatesTokenCount": usage.output_tokens - usage.reasoning_tokens,
        "thoughtsTokenCount": usage.reasoning_tokens,
        "totalTokenCount": usage.total_tokens,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": tokens,
        "modelVersion": "gemini",
        "responseId": "r1",
    }


def _error(error: ProviderError) -> dict[str, Any]:
    status = error.status or 500
    return {"error": {"code": status, "message": error.detail, "status": STATUSES.get(status, "UNKNOWN")}}
