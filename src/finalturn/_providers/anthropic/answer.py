"""Turns the JSON records of a Messages answer into model events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.ending import stated_reason
from finalturn._providers.answers.usage import MESSAGES
from finalturn._providers.anthropic.blocks import AnthropicBlocks
from finalturn._providers.anthropic.message import finish_reason
from finalturn._providers.blocks.answer import BlockAnswer
from finalturn._providers.errors.failures import BrokeOffError, error_in_answer
from finalturn._providers.errors.record import is_error
from finalturn._providers.json_types import as_array, as_object

# What a record is about, when it does not name its type.
_BY_FIELD = {
    "content_block": "content_block_start",
    "delta": "content_block_delta",
    "message": "message_start",
    "content": "message",
}


class AnthropicAnswer(BlockAnswer[AnthropicBlocks]):
    """What the records of a Messages answer have said so far.

    Args:
        secret: the key, which is taken out of whatever the server says of an error.
        keep: makes of the thoughts and their places what is kept with the first call.
    """

    def __init__(self, secret: str | None, keep: Callable[[list[Any]], Mapping[str, Any] | None]) -> None:
        super().__init__(MESSAGES, AnthropicBlocks(), secret, keep)

    def take_document(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a whole answer, and append its events."""
        if is_error(record):
            self.fail(error_in_answer(record, secret=self._secret))
        elif isinstance(record.get("content"), (list, str)):
            self._take_message(record, events)
        else:
            self.fail(ProviderError("the provider's answer holds no message"))

    def take(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a record of a stream, or a whole answer, and append its events."""
        kind = record.get("type") or next((_BY_FIELD[name] for name in _BY_FIELD if name in record), None)
        if kind == "content_block_delta" and as_object(record.get("delta")).get("stop_reason"):
            # Only where the type was left out.
            kind = "message_delta"
        if record.get("error") or kind == "error" or (kind is None and is_error(record)):
            self.fail(error_in_answer(record, secret=self._secret))
        elif kind == "content_block_delta":
            self._blocks.delta(record.get("index"), as_object(record.get("delta")), events)
        elif kind == "content_block_start":
            self._blocks.start(record.get("index"), as_object(record.get("content_block")), events)
        elif kind == "content_block_stop":
            self._blocks.stop(record.get("index"))
        elif kind == "message_start":
            self._tokens.take(as_object(record.get("message")).get("usage"))
        elif kind == "message_delta":
            self._tokens.take(record.get("usage"))
            self._stop(as_object(record.get("delta")).get("stop_reason"))
        elif kind == "message_stop":
            self.ending.close()
        elif kind == "message":
            self._take_message(record, events)
        elif kind != "ping":
            log_skipped()

    def _take_message(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        content = record.get("content")
        whole = [{"type": "text", "text": content}] if isinstance(content, str) else as_array(content)
        for block in whole:
            self._blocks.start(None, as_object(block), events)
            self._blocks.stop(None)
        self._tokens.take(record.get("usage"))
        self._stop(record.get("stop_reason"))

    def _stop(self, value: object) -> None:
        words = stated_reason(value)
        if not words:
            return
        reason = finish_reason(words)
        if reason is None:
            self.fail(BrokeOffError())
        else:
            self._mark(reason)
