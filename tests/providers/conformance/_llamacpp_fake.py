"""Answers as llama.cpp's server writes them.

After its page "LLaMA.cpp HTTP Server", and `tools/server` of its source. With ``--reasoning-format none``,
thoughts are tags in the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from finalturn import ProviderError, ReasoningDelta, TextDelta
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._chat_fake import DONE, ChatWire
from tests.providers.conformance._vendor import Received
from tests.providers.conformance._words import blocks, reason_of, sse, texts

TIMINGS = {"prompt_n": 3, "predicted_n": 2, "predicted_per_second": 9.5}


class LlamaCppWire(ChatWire):
    """llama-server."""

    def deltas(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        for block in blocks(answer):
            first = next(block)
            if isinstance(first, ReasoningDelta):
                for text in ("<thi", "nk>\n", *texts(chain([first], block)), "</th", "ink>\n\n"):
                    yield {"content": text}
                continue
            for piece in chain([first], block):
                if isinstance(piece, TextDelta):
                    yield {"content": piece.text}
                elif not isinstance(piece, ReasoningDelta):
                    yield {"tool_calls": [self.call_piece(piece)]}

    def whole(self, answer: ScriptedAnswer) -> Iterator[dict[str, Any]]:
        yield from super().whole(answer)
        if answer.reasoning:
            tagged = f"<think>\n{answer.reasoning}</think>\n\n{answer.text}"
            yield {"reasoning_content": None, "content": tagged}

    def end(self, answer: ScriptedAnswer, request: Received) -> Iterator[bytes]:
        asked = json.loads(request.body).get("stream_options", {}).get("include_usage")
        yield self.chunk({}, reason_of(answer), timings=TIMINGS)
        if asked:
            yield sse({"choices": [], "usage": self.usage(answer), "timings": TIMINGS})
        yield DONE

    def fail_late(self, error: ProviderError) -> Iterator[bytes]:
        # Nothing comes behind it.
        yield sse(self.error(error))

    def error(self, error: ProviderError) -> dict[str, Any]:
        status = error.status or 500
        kinds = {400: "invalid_request_error", 401: "authentication_error", 503: "unavailable_error"}
        return {"error": {"code": status, "message": error.detail, "type": kinds.get(status, "server_error")}}
