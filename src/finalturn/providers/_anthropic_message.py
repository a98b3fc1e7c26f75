"""The parts of a Messages answer that are not its content, as the servers that speak the format write them.

After Anthropic's pages "Stop reasons and fallback", "Streaming messages" and the Messages reference.
"""

from __future__ import annotations

from typing import Any

from finalturn.core import json_text
from finalturn.core.model import FinishReason
from finalturn.core.result import Usage
from finalturn.providers._json_types import as_int, as_object, as_text

_FINISH: dict[str, FinishReason] = {
    "max_tokens": "length",
    "length": "length",
    "model_context_window_exceeded": "length",
    # The server stopped in the midst of its own tools: what there is of the answer is not all of it.
    "pause_turn": "length",
    "tool_use": "tool_calls",
    "tool_calls": "tool_calls",
    "refusal": "refusal",
    "content_filter": "refusal",
    "safety": "refusal",
}
# Reasons by which a compatible server says that it failed.
_FAILED = frozenset({"error", "abort"})

_COUNTS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
_THINKING = "thinking_tokens"


def finish_reason(given: object) -> FinishReason | None:
    """Why the model stopped; ``None`` when it did not stop by itself but failed."""
    name = as_text(given).lower()
    return None if name in _FAILED else _FINISH.get(name, "stop")


def arguments_text(given: object) -> str:
    """A call's input as JSON text. It is an object; a few servers send its text."""
    if given is None or isinstance(given, str):
        return given or ""
    try:
        return json_text.encode(given).decode()
    except (RecursionError, ValueError):
        # Nested too deeply to be written: text that is no JSON, so that the call does not run.
        return "["


class Tokens:
    """What the records so far say of the tokens used.

    The counts are running totals: a later one replaces an earlier one. Servers that do not know a count
    yet, or any more, write 0.
    """

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def take(self, given: object) -> None:
        """Read the usage part of a record."""
        found = as_object(given)
        for name in _COUNTS:
            self._take(name, found)
        self._take(_THINKING, as_object(found.get("output_tokens_details")))

    def usage(self) -> Usage | None:
        """The sum, or ``None`` when no record has said anything."""
        if not self._counts:
            return None
        fresh, cached, stored, answered = (self._counts.get(name, 0) for name in _COUNTS)
        asked = fresh + cached + stored
        return Usage(
            input_tokens=asked,
            cached_tokens=cached,
            output_tokens=answered,
            reasoning_tokens=self._counts.get(_THINKING, 0),
            total_tokens=asked + answered,
        )

    def _take(self, name: str, found: dict[str, Any]) -> None:
        count = as_int(found.get(name))
        if count is not None and (count > 0 or name not in self._counts):
            self._counts[name] = max(count, 0)
