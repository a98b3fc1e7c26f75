"""Records of a served turn."""

from __future__ import annotations

from typing import Any

RUN = {"type": "run", "run_id": "r-1", "session": None}
CHUNK = {"type": "chunk", "content": "Hi", "call": 0}
NEWS = {"type": "news", "of": "a later version"}
FAILED = {"type": "error", "code": "provider_failed", "message": "No answer.", "retryable": True}
USAGE = {"input_tokens": 3, "unreported_calls": 1, "of_a_later_version": 9}


def ended(**changes: Any) -> dict[str, Any]:
    """A result record."""
    return {
        "type": "result", "run_id": "r-1", "content": '{"topic":"a","urgent":true}', "text": "Hi",
        "parsed": {"topic": "a", "urgent": True}, "parsed_error": None, "structured_status": "ok",
        "structured_error": None, "stop_reason": "completed", "messages": [], "tool_calls": [],
        "usage": USAGE, "model_calls": 1, "answer_call": 0, **changes,
    }  # fmt: skip
