"""Answers as OpenAI writes them: its reference, "Responses" and "Responses streaming events"."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any
from zlib import crc32

from finalturn import ProviderError, ReasoningDelta, ToolCallDelta
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._vendor import Received, Whole, Wire
from tests.providers.conformance._words import Piece, blocks, dumps, reason_of, sse, texts, usage_of

CUT = {"reason": "max_output_tokens"}
ENCRYPTED = "encrypted by openai"


class ResponsesWire(Wire):
    """The Responses API."""

    def streams(self, request: Received) -> bool:
        return bool(json.loads(request.body).get("stream"))

    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        for number, (kind, fields) in enumerate(_records(answer, request)):
            yield sse({"type": kind, "sequence_number": number, **fields}, kind)

    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        output: list[dict[str, Any]] = []
        for place, block in enumerate(blocks(answer)):
            first = next(block)
            output.append(_item(first, _name(request, place), "".join(texts(chain([first], block))), answer))
        return dumps(_response(_status(answer), output, answer, request))

    def refusal(self, error: ProviderError) -> Whole:
        kind = "server_error" if (error.status or 500) >= 500 else "invalid_request_error"
        found = {"message": error.detail, "type": kind, "param": None, "code": error.code}
        return Whole(error.status or 500, dumps({"error": found}))


def _records(answer: ScriptedAnswer, request: Received) -> Iterator[tuple[str, dict[str, Any]]]:
    started = _response("in_progress", [], answer, request)
    yield "response.created", {"response": started}
    yield "response.in_progress", {"response": started}
    output: list[dict[str, Any]] = []
    for place, block in enumerate(blocks(answer)):
        first = next(block)
        item = _item(first, _name(request, place), "", answer)
        # Contents come with the parts.
        begun: dict[str, Any] = {**item, "status": "in_progress"}
        begun.update((field, []) for field in ("content", "summary") if field in item)
        yield "response.output_item.added", {"output_index": place, "item": begun}
        pieces: list[str] = []
        kind, at = _delta(first, answer)
        for text in texts(chain([first], block)):
            pieces.append(text)
            yield f"{kind}.delta", {"item_id": item["id"], "output_index": place, **at, "delta": text}
        whole = _item(first, _name(request, place), "".join(pieces), answer)
        output.append(whole)
        if answer.error is not None or answer.cut:
            continue
        yield "response.output_item.done", {"output_index": place, "item": whole}
    if answer.error is not None:
        error = answer.error
        yield "error", {"code": error.code, "message": error.detail, "param": None}
        failed = _response("failed", output, answer, request)
        failed["error"] = {"code": "server_error", "message": error.detail}
        yield "response.failed", {"response": failed}
    elif not answer.cut:
        status = _status(answer)
        yield f"response.{status}", {"response": _response(status, output, answer, request)}


def _name(request: Received, place: int) -> str:
    """What tells an item from all others."""
    return f"{crc32(request.body.encode()):x}_{place}"


def _status(answer: ScriptedAnswer) -> str:
    return "incomplete" if reason_of(answer) == "length" else "completed"


def _response(
    status: str, output: list[dict[str, Any]], answer: ScriptedAnswer, request: Received
) -> dict[str, Any]:
    usage = usage_of(answer)
    tokens = {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "status": status,
        "error": None,
        "incomplete_details": CUT if status == "incomplete" else None,
        "model": json.loads(request.body)["model"],
        "output": output,
        "usage": tokens if status in ("completed", "incomplete") else None,
    }


def _item(first: Piece, name: str, text: str, answer: ScriptedAnswer) -> dict[str, Any]:
    if isinstance(first, ReasoningDelta):
        summary = [{"type": "summary_text", "text": text}]
        return {
            "type": "reasoning",
            "id": f"rs_{name}",
            "summary": summary,
            "encrypted_content": ENCRYPTED,
        }
    status = _status(answer)
    if isinstance(first, ToolCallDelta):
        call = {"call_id": first.id, "name": first.name, "arguments": text}
        return {"type": "function_call", "id": f"fc_{name}", "status": status, **call}
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    if reason_of(answer) == "refusal":
        part = {"type": "refusal", "refusal": text}
    return {
        "type": "message",
        "id": f"msg_{name}",
        "status": status,
        "role": "assistant",
        "content": [part],
    }


def _delta(first: Piece, answer: ScriptedAnswer) -> tuple[str, dict[str, Any]]:
    if isinstance(first, ReasoningDelta):
        return "response.reasoning_summary_text", {"summary_index": 0}
    if isinstance(first, ToolCallDelta):
        return "response.function_call_arguments", {}
    kind = "refusal" if reason_of(answer) == "refusal" else "output_text"
    return f"response.{kind}", {"content_index": 0}
