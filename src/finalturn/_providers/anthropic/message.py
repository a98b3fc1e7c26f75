"""Reads the stop reason of a Messages answer, as the servers that speak the format write it.

After Anthropic's pages "Stop reasons and fallback", "Streaming messages" and the Messages reference.
"""

from __future__ import annotations

from finalturn._core.model import FinishReason
from finalturn._providers.json_types import as_text

_FINISH: dict[str, FinishReason] = {
    "max_tokens": "length",
    "length": "length",
    "model_context_window_exceeded": "length",
    # The server stopped in the midst of its own tools: what there is of the answer is not all of it.
    "pause_turn": "length",
    # It has made room in its context, and waits to be asked on.
    "compaction": "length",
    "tool_use": "tool_calls",
    "tool_calls": "tool_calls",
    "refusal": "refusal",
    "content_filter": "refusal",
    "safety": "refusal",
}
# Reasons by which a compatible server says that it failed.
_FAILED = frozenset({"error", "abort"})


def finish_reason(stop_reason: object) -> FinishReason | None:
    """Why the model stopped; ``None`` when it did not stop by itself but failed."""
    name = as_text(stop_reason).lower()
    return None if name in _FAILED else _FINISH.get(name, "stop")
