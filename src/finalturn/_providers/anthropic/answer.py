"""One answer of a server that speaks Messages: its JSON records in, model events out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import FinishReason, ModelEnd, ModelEvent
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.ending import Ending, said_reason
from finalturn._providers.answers.usage import MESSAGES, Tokens
from finalturn._providers.anthropic.blocks import Blocks
from finalturn._providers.anthropic.message import finish_reason
from finalturn._providers.errors.failures import BrokeOffError, error_in_answer, is_settled
from finalturn._providers.errors.record import is_error
from finalturn._providers.json_types import as_array, as_object

# What a record is about, when it does not name its type.
_BY_FIELD = {
    "content_block": "content_block_start",
    "delta": "content_block_delta",
    "message": "message_start",
    "content": "message",
}


class AnthropicAnswer:
    """What the records so far have said.

    Calls are given at the end, as a refusal takes them back: a classifier may stop the model in the midst
    of one.

    Args:
        secret: the key, which is taken out of whatever the server says of an error.
        keep: makes of the thoughts and their places what is kept with the first call.

    Attributes:
        reason: why the model stopped, once it has said so.
        failure: what went wrong; nothing may be read after it.
        ending: what has been said of its end.
    """

    def __init__(self, secret: str | None, keep: Callable[[list[Any]], Mapping[str, Any] | None]) -> None:
        self.reason: FinishReason | None = None
        self.failure: ProviderError | None = None
        self.ending = Ending()
        self._secret = secret
        self._keep = keep
        self._blocks = Blocks()
        self._tokens = Tokens(MESSAGES)

    @property
    def size(self) -> int:
        """About how many characters of text, thoughts and calls there are."""
        return self._blocks.size

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

    def fail(self, failure: ProviderError) -> None:
        """The answer has failed. The first failure that says why counts."""
        self.ending.fail()
        if not is_settled(self.failure):
            failure.usage = self._tokens.usage()
            self.failure = failure

    def end(self) -> list[ModelEvent]:
        """The answer is complete: its calls, and its end."""
        reason = self.reason or ("tool_calls" if self._blocks.has_calls else "stop")
        usage = self._tokens.usage()
        if reason == "refusal":
            return [ModelEnd(reason, usage)]
        data = self._keep(self._blocks.layout()) if self._blocks.has_calls else None
        return [*self._blocks.calls(data), ModelEnd(reason, usage)]

    def _take_message(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        content = record.get("content")
        whole = [{"type": "text", "text": content}] if isinstance(content, str) else as_array(content)
        for block in whole:
            self._blocks.start(None, as_object(block), events)
            self._blocks.stop(None)
        self._tokens.take(record.get("usage"))
        self._stop(record.get("stop_reason"))

    def _stop(self, given: object) -> None:
        said = said_reason(given)
        if not said:
            return
        reason = finish_reason(said)
        if reason is None:
            self.fail(BrokeOffError())
            return
        self.ending.mark(reason)
        if self.reason in (None, "stop"):
            self.reason = reason
