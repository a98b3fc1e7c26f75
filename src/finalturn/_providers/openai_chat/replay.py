"""Reasoning that goes back to a server with the tool call that it led to. Pure.

It rides on the call. Servers take text in a field of theirs, or OpenRouter's ``reasoning_details``: a list of
parts, some of them signed or encrypted by the vendor behind it.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from finalturn._core import json_text
from finalturn._core.frozen import thaw
from finalturn._core.messages import Message
from finalturn._providers.json_types import as_array, as_int, as_object, as_text
from finalturn._providers.openai_chat.profile import Profile

DATA = "chat_reasoning"
DETAILS = "reasoning_details"

_PIECES = ("text", "summary")


class KeptReasoning:
    """Collects the reasoning of one answer.

    Args:
        field: where the server wants it back.
        model: whose reasoning it is.
    """

    def __init__(self, field: str, model: str) -> None:
        self._of_details = field == DETAILS
        self._model = model
        self._text: list[str] = []
        self._details: list[dict[str, Any]] = []
        # The place of each part that comes in pieces.
        self._open: dict[tuple[str, int | None], int] = {}

    def add_text(self, text: str) -> None:
        """Take the next piece of reasoning, as it is shown."""
        if not self._of_details:
            self._text.append(text)

    def add_details(self, details: object, *, whole: bool) -> int:
        """Take the parts of a message, and say how many there are.

        Args:
            whole: each is one by itself. On a stream, one part comes in pieces with the same type and index;
                its signature is only right for all of its text.
        """
        if not self._of_details:
            return 0
        parts = 0
        for part in map(as_object, as_array(details)):
            if not part:
                continue
            parts += 1
            key = (as_text(part.get("type")), as_int(part.get("index")))
            place = None if whole or part.get("data") else self._open.get(key)
            if place is None:
                self._open[key] = len(self._details)
                self._details.append(dict(part))
            else:
                _extend(self._details[place], part)
        return parts

    def data(self) -> dict[str, Any] | None:
        """What a call is to carry; ``None`` when there is nothing."""
        reasoning: dict[str, Any] = {}
        if self._details:
            reasoning = {"model": _name(self._model), "details": self._details}
        elif text := "".join(self._text):
            reasoning = {"text": json_text.without_surrogates(text)}
        keepable = _keepable(reasoning)
        return {DATA: keepable} if keepable else None


def reasoning_of(message: Message, profile: Profile, model: str) -> dict[str, Any]:
    """The field with which an ASSISTANT message is sent back to the server; none when there is nothing."""
    field = profile.replay
    if field is None:
        return {}
    data: dict[str, Any] = {}
    for call in message.tool_calls:
        data = data or as_object(as_object(call.provider_data).get(DATA))
    if field == DETAILS:
        # A signature is only good for the model that it comes from.
        details = as_array(data.get("details")) if data.get("model") == _name(model) else []
        return {field: thaw(details)} if details else {}
    text = as_text(data.get("text"))
    return {field: text} if text or profile.replay_needed else {}


def _name(model: str) -> str:
    """What tells a model from others, and does not give it away to who sees the conversation."""
    return blake2b(model.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _extend(part: dict[str, Any], piece: dict[str, Any]) -> None:
    for name, value in piece.items():
        before = part.get(name)
        if name in _PIECES and isinstance(before, str) and isinstance(value, str):
            part[name] = before + value
        elif value or name not in part:
            part[name] = value


def _keepable(value: dict[str, Any]) -> dict[str, Any]:
    """The same without numbers and characters that JSON does not have."""
    try:
        # It is one level of what the call carries.
        return as_object(json_text.decode(json_text.encode(value), max_depth=json_text.MAX_DEPTH - 2))
    except ValueError:
        # Nested too deeply to be kept: the call matters more.
        return {}
