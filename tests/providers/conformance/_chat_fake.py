"""What vendors who speak chat completions have in common."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from finalturn import ProviderError, ReasoningDelta, TextDelta, ToolCallDelta
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._vendor import Received, Whole, Wire
from tests.providers.conformance._words import Piece, blocks, dumps, reason_of, sse, texts, usage_of

DONE = b"data: [DONE]\n\n"


class ChatWire(Wire):
    """Chat completions, but for what vendors write in ways of their own.

    Attributes:
        failed: the finish reason of an answer that fails.
        refused: that of an answer that is refused.
    """

    failed = "error"
    refused = "content_filter"

    def streams(self, request: Received) -> bool:
        return bool(json.loads(request.body).get("stream"))

    def stream(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        yield self.chunk({"role": "assistant", "content": ""})
        for delta in self.deltas(answer):
            yield self.chunk(delta)
        if answer.error is not None:
            yield from self.fail_late(answer.error)
        elif not answer.cut:
            yield from self.end(answer, request)

    def document(self, answer: ScriptedAnswer, request: Received) -> bytes:
        message: dict[str, Any] = {"role": "assistant", "content": None}
        for delta in self.whole(answer):
            message |= delta
        choice = {"index": 0, "message": message, "finish_reason": self.reason(answer)}
        found = {"object": "chat.completion", **_HEAD, "choices": [choice], "usage": self.usage(answer)}
        return dumps(found)

    def refusal(self, error: ProviderError) -> Whole:
        return Whole(error.status or 500, dumps(self.error(error)))

    def reason(self, answer: ScriptedAnswer) -> str:
        """Why the model stopped."""
        reason = reason_of(answer)
        return self.refused if reason == "refusal" else reason

    def deltas(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        """The deltas of a stream; each has one piece."""
        for block in blocks(answer):
            for piece in block:
                if isinstance(piece, TextDelta):
                    yield {"content": piece.text}
                elif isinstance(piece, ReasoningDelta):
                    yield {"reasoning_content": piece.text}
                else:
                    yield {"tool_calls": [self.call_piece(piece)]}

    def whole(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        """The fields of a whole message."""
        if answer.reasoning:
            yield {"reasoning_content": answer.reasoning}
        if answer.text:
            yield {"content": answer.text}
        if answer.tool_calls:
            yield {"tool_calls": [self.call(call, call.arguments) for call in answer.tool_calls]}

    def call_piece(self, piece: ToolCallDelta) -> dict[str, Any]:
        """A piece of a call."""
        if piece.id is None:
            return {"index": piece.index, "function": {"arguments": piece.arguments}}
        return self.call(piece, piece.arguments)

    def call(self, call: ToolCallDelta, arguments: str) -> dict[str, Any]:
        """A call, or its first piece."""
        function = {"name": call.name, "arguments": arguments}
        return {"index": call.index, "id": call.id, "type": "function", "function": function}

    def end(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        """What ends a stream."""
        yield self.chunk({}, self.reason(answer), usage=self.usage(answer))
        yield DONE

    def fail_late(self, error: ProviderError) -> Iterator[bytes]:
        """What ends a stream that fails."""
        yield self.chunk({}, self.failed)
        yield DONE

    def usage(self, answer: ScriptedAnswer) -> dict[str, Any]:
        """The tokens that every vendor reports."""
        usage = usage_of(answer)
        return {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.total_tokens,
        }

    @abstractmethod
    def error(self, error: ProviderError) -> dict[str, Any]:
        """The body of a refusal."""

    def chunk(self, delta: dict[str, Any], reason: str | None = None, **more: Any) -> bytes:
        """A record with one choice."""
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return sse({"object": "chat.completion.chunk", **_HEAD, "choices": [choice], **more})


_HEAD = {"id": "c1", "created": 0, "model": "any"}


def call_of(first: ToolCallDelta, rest: Iterable[Piece]) -> tuple[ToolCallDelta, str]:
    """A call that comes whole: its beginning, and all of its arguments."""
    return first, first.arguments + "".join(texts(rest))
