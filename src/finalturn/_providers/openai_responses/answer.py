"""Turns the JSON records of a Responses answer into model events."""

from __future__ import annotations

from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import FinishReason, ModelEnd, ModelEvent
from finalturn._providers.answers.answer import BaseAnswer
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.usage import RESPONSES
from finalturn._providers.errors.failures import BrokeOffError, error_in_answer
from finalturn._providers.errors.record import is_error
from finalturn._providers.json_types import as_object, as_text
from finalturn._providers.openai_responses.message import ResponsesOutput

_TEXT, _REFUSAL = "response.output_text.delta", "response.refusal.delta"
_REASONING = frozenset({"response.reasoning_text.delta", "response.reasoning_summary_text.delta"})
_ARGUMENTS = frozenset({"response.function_call_arguments.delta", "response.function_call_arguments.done"})
# The records that end a stream, and the status that each stands for.
_ENDS = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
# Records that say nothing which another one does not say.
_QUIET = frozenset(
    [
        "keepalive",
        "response.content_part.added",
        "response.content_part.done",
        "response.created",
        "response.in_progress",
        "response.output_text.annotation.added",
        "response.output_text.done",
        "response.queued",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_part.done",
        "response.reasoning_summary_text.done",
        "response.reasoning_text.done",
        "response.refusal.done",
    ]
)


class ResponsesAnswer(BaseAnswer):
    """The state of one Responses answer, built from its records.

    Args:
        origin: the server and model that are asked; what they want back with a call carries it.
        secret: the key, which is taken out of whatever the provider says of an error.
    """

    def __init__(self, origin: str, secret: str | None) -> None:
        super().__init__(RESPONSES, secret)
        self._origin = origin
        self._output = ResponsesOutput()
        self._status = ""
        self._cut_by = ""

    @property
    def size(self) -> int:
        """About how many characters of text, thoughts and calls there are."""
        return self._output.size

    def take(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a record of a stream, and append its events."""
        kind = as_text(record.get("type"))
        if record.get("error") or kind == "error":
            self.fail(error_in_answer(record, secret=self._secret))
        elif kind == _TEXT:
            self._output.take_text(record, events)
        elif kind == _REFUSAL:
            self._output.refused = True
            self._output.take_text(record, events)
        elif kind in _REASONING:
            self._output.take_reasoning(record, events)
        elif kind in _ARGUMENTS:
            self._output.take_arguments(record)
        elif kind == "response.output_item.added":
            self._output.begin(record)
        elif kind == "response.output_item.done":
            self._output.end(record, events)
        elif kind in _ENDS:
            self._end(as_object(record.get("response")), _ENDS[kind], events)
        elif kind not in _QUIET:
            log_skipped()

    def take_document(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a whole answer, and append its events."""
        status = as_text(record.get("status"))
        is_response = bool(status) or isinstance(record.get("output"), list)
        if "error" in (record.get("object"), record.get("type")) or (not is_response and is_error(record)):
            self.fail(error_in_answer(record, secret=self._secret))
        elif record.get("error") or status in ("failed", "cancelled", "incomplete"):
            self._end(record, status or "failed", events)
        elif status in ("in_progress", "queued"):
            self.fail(ProviderError("the provider answers in the background, and this is not the answer"))
        elif not isinstance(record.get("output"), list):
            self.fail(ProviderError("the provider's answer holds no message"))
        else:
            self._end(record, "completed", events)

    def end(self) -> list[ModelEvent]:
        """The answer is complete: what was held back, its calls, and why it ended."""
        if not self._status and not self._output.complete:
            # A stream may end in a mark that is no record, but then what it has said must be whole.
            self.fail(ProviderError("the model's answer broke off: an item is not complete", retryable=True))
            return []
        events: list[ModelEvent] = []
        calls = self._output.finish(self._origin, events)
        events.append(ModelEnd(self._finish_reason(calls=calls), self._tokens.usage()))
        return events

    def _finish_reason(self, *, calls: bool) -> FinishReason:
        if self._status == "incomplete":
            return "refusal" if self._cut_by == "content_filter" else "length"
        if self._output.refused:
            return "refusal"
        return "tool_calls" if calls else "stop"

    def _end(self, response: dict[str, Any], status: str, events: list[ModelEvent]) -> None:
        """Take the whole answer as it stands at its end."""
        self._tokens.take(response.get("usage"))
        stated = as_text(response.get("status"))
        if stated in _ENDS.values():
            status = stated
        if error := response.get("error"):
            self.fail(error_in_answer({"error": error}, secret=self._secret))
        elif status == "cancelled":
            self.fail(ProviderError("the provider broke off its answer: it was cancelled"))
        elif status == "failed":
            self.fail(BrokeOffError())
        else:
            self._output.take_all(response.get("output"), events)
            self._cut_by = as_text(as_object(response.get("incomplete_details")).get("reason"))
            self._status = status
            # It has the whole answer and its usage.
            self.ending.close()
