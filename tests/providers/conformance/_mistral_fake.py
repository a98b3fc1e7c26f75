"""Answers as Mistral writes them: its "Chat Completion API" and the page "Reasoning".

Thoughts are parts of the content, calls come whole, and usage is on the last chunk without being asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from finalturn import ProviderError, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._chat_fake import ChatWire, call_of
from tests.providers.conformance._words import blocks


class MistralWire(ChatWire):
    """La Plateforme."""

    def deltas(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        for block in blocks(answer):
            for piece in block:
                if isinstance(piece, TextDelta):
                    yield {"content": piece.text}
                elif isinstance(piece, ReasoningDelta):
                    yield {"content": [_thinking(piece.text)]}
                else:
                    yield {"tool_calls": [self.call(*call_of(piece, block))]}

    def whole(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        yield from super().whole(answer)
        if answer.reasoning:
            said = {"type": "text", "text": answer.text}
            yield {"reasoning_content": None, "content": [_thinking(answer.reasoning), said]}

    def call(self, call: ToolCallDelta, arguments: str) -> dict[str, Any]:
        return super().call(call, arguments) | {"id": own_id(call.id or "")}

    def error(self, error: ProviderError) -> dict[str, Any]:
        if error.status == 401:
            return {"detail": error.detail}
        return {"object": "error", "message": error.detail, "type": "invalid_request_error", "code": "3051"}


def own_id(scripted: str) -> str:
    """An id as Mistral gives them, nine letters and digits, in place of a scripted one."""
    return "".join(filter(str.isalnum, scripted))[-9:].rjust(9, "0")


def _thinking(text: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
