"""Turns the JSON records of a Converse answer into model events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.ending import stated_reason
from finalturn._providers.answers.usage import CONVERSE
from finalturn._providers.bedrock.blocks import BedrockBlocks
from finalturn._providers.bedrock.message import finish_reason, reported_error
from finalturn._providers.blocks.answer import BlockAnswer
from finalturn._providers.errors.failures import BrokeOffError
from finalturn._providers.json_types import as_array, as_object


class BedrockAnswer(BlockAnswer[BedrockBlocks]):
    """The state of one Converse answer, built from its records.

    A record of a stream has one field, which names its kind.

    Args:
        secret: the key, which is taken out of whatever the service says of an error.
        keep: makes of the thoughts and their places what is kept with the first call.
    """

    def __init__(self, secret: str | None, keep: Callable[[list[Any]], Mapping[str, Any] | None]) -> None:
        super().__init__(CONVERSE, BedrockBlocks(), secret, keep)

    def take_document(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a whole answer, and append its events."""
        output = as_object(record.get("output"))
        message = as_object(output.get("message"))
        if message:
            for block in as_array(message.get("content")):
                self._blocks.whole(as_object(block), events)
            self._tokens.take(record.get("usage"))
            self._stop(record.get("stopReason"))
        elif record.get("message") or record.get("Message") or record.get("__type"):
            self.fail(reported_error("", record, secret=self._secret))
        else:
            self.fail(ProviderError("the provider's answer holds no message"))

    def take(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a record of a stream, and append its events."""
        for kind, fields in sorted(record.items(), key=_errors_first) if len(record) > 1 else record.items():
            self._take(kind, as_object(fields), events)

    def _take(self, kind: str, fields: dict[str, Any], events: list[ModelEvent]) -> None:
        index = fields.get("contentBlockIndex")
        if kind == "contentBlockDelta":
            self._blocks.delta(index, as_object(fields.get("delta")), events)
        elif kind == "contentBlockStart":
            self._blocks.start(index, as_object(fields.get("start")))
        elif kind == "contentBlockStop":
            self._blocks.stop(index)
        elif kind == "messageStop":
            self._stop(fields.get("stopReason"))
        elif kind == "metadata":
            self._tokens.take(fields.get("usage"))
            if self.failure is not None:
                self.failure.usage = self._tokens.usage()
            if self.ending.marked:
                self.ending.close()
        elif kind.lower().endswith("exception"):
            self.fail(reported_error(kind, fields, secret=self._secret))
        elif kind != "messageStart":
            log_skipped()

    def _stop(self, value: object) -> None:
        words = stated_reason(value)
        reason = finish_reason(words)
        if reason is None:
            self.fail(BrokeOffError())
        elif words:
            self._mark(reason)
        else:
            # An end that gives no reason.
            self.ending.mark(reason)


def _errors_first(item: tuple[str, Any]) -> bool:
    return not item[0].lower().endswith("exception")
