"""One answer of the Converse API: its JSON records in, model events out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import FinishReason, ModelEnd, ModelEvent
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.ending import Ending, said_reason
from finalturn._providers.answers.usage import CONVERSE, Tokens
from finalturn._providers.bedrock.blocks import Blocks
from finalturn._providers.bedrock.message import finish_reason, reported_error
from finalturn._providers.errors.failures import BrokeOffError, is_settled
from finalturn._providers.json_types import as_array, as_object


class BedrockAnswer:
    """What the records so far have said. A record of a stream has one field, which names its kind.

    Calls are given at the end, as a guardrail that steps in takes them back.

    Args:
        secret: the key, which is taken out of whatever the service says of an error.
        keep: makes of the thoughts and their places what is kept with the first call.

    Attributes:
        failure: what went wrong; nothing may be read after it.
        ending: what has been said of its end.
    """

    def __init__(self, secret: str | None, keep: Callable[[list[Any]], Mapping[str, Any] | None]) -> None:
        self.ending = Ending()
        self.failure: ProviderError | None = None
        self._secret = secret
        self._keep = keep
        self._blocks = Blocks()
        self._reason: FinishReason | None = None
        self._tokens = Tokens(CONVERSE)

    @property
    def size(self) -> int:
        """About how many characters of text, thoughts and calls there are."""
        return self._blocks.size

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
        for kind, given in sorted(record.items(), key=_errors_first) if len(record) > 1 else record.items():
            self._take(kind, as_object(given), events)

    def fail(self, failure: ProviderError) -> None:
        """The answer has failed. The first failure that says why counts."""
        self.ending.fail()
        if not is_settled(self.failure):
            failure.usage = self._tokens.usage()
            self.failure = failure

    def end(self) -> list[ModelEvent]:
        """The answer is complete: its calls, and its end."""
        reason = self._reason or ("tool_calls" if self._blocks.has_calls else "stop")
        usage = self._tokens.usage()
        if reason == "refusal":
            return [ModelEnd(reason, usage)]
        data = self._keep(self._blocks.layout()) if self._blocks.has_calls else None
        return [*self._blocks.calls(data), ModelEnd(reason, usage)]

    def _take(self, kind: str, given: dict[str, Any], events: list[ModelEvent]) -> None:
        index = given.get("contentBlockIndex")
        if kind == "contentBlockDelta":
            self._blocks.delta(index, as_object(given.get("delta")), events)
        elif kind == "contentBlockStart":
            self._blocks.start(index, as_object(given.get("start")))
        elif kind == "contentBlockStop":
            self._blocks.stop(index)
        elif kind == "messageStop":
            self._stop(given.get("stopReason"))
        elif kind == "metadata":
            self._tokens.take(given.get("usage"))
            if self.failure is not None:
                self.failure.usage = self._tokens.usage()
            if self.ending.marked:
                self.ending.close()
        elif kind.lower().endswith("exception"):
            self.fail(reported_error(kind, given, secret=self._secret))
        elif kind != "messageStart":
            log_skipped()

    def _stop(self, given: object) -> None:
        said = said_reason(given)
        reason = finish_reason(said)
        if reason is None:
            self.fail(BrokeOffError())
            return
        self.ending.mark(reason)
        if said and self._reason in (None, "stop"):
            self._reason = reason


def _errors_first(item: tuple[str, Any]) -> bool:
    return not item[0].lower().endswith("exception")
