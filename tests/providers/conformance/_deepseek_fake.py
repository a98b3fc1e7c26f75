"""Answers as DeepSeek writes them: its "Create Chat Completion", "Error Codes" and "Rate Limit".

While a request waits, a stream has comments, and a whole answer empty lines before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn import ProviderError
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._chat_fake import ChatWire
from tests.providers.conformance._vendor import Received
from tests.providers.conformance._words import usage_of


class DeepSeekWire(ChatWire):
    """DeepSeek's own API."""

    failed = "insufficient_system_resource"

    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        yield b": keep-alive\n\n"
        yield from super().stream(answer, request)

    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        return b"\n\n" + super().document(answer, request)

    def usage(self, answer: ScriptedAnswer) -> dict[str, Any]:
        usage = usage_of(answer)
        return {
            **super().usage(answer),
            "prompt_cache_hit_tokens": usage.cached_tokens,
            "prompt_cache_miss_tokens": usage.input_tokens - usage.cached_tokens,
            "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        }

    def error(self, error: ProviderError) -> dict[str, Any]:
        kind = "authentication_error" if error.status == 401 else "invalid_request_error"
        found = {"message": error.detail, "type": kind, "param": None, "code": "invalid_request_error"}
        return {"error": found}
