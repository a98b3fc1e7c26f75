"""Turns the JSON records of a generateContent answer into model events."""

from __future__ import annotations

from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelEvent, ReasoningDelta, TextDelta
from finalturn._providers.answers.answer import BaseAnswer
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.ending import stated_reason
from finalturn._providers.answers.usage import GENERATE_CONTENT
from finalturn._providers.errors.failures import error_in_answer
from finalturn._providers.errors.record import is_error
from finalturn._providers.gemini.calls import Calls
from finalturn._providers.gemini.message import FAILURES, finish_reason
from finalturn._providers.gemini.replay import SIGNATURE
from finalturn._providers.json_types import as_array, as_object, as_text


class GeminiAnswer(BaseAnswer):
    """The state of one generateContent answer, built from its records.

    Calls are given at the end, when all of their pieces have come.

    Args:
        secret: the key or token, which is taken out of whatever the provider says of an error.

    Attributes:
        size: about how many characters of text, thoughts and calls there are.
    """

    def __init__(self, secret: str | None) -> None:
        super().__init__(GENERATE_CONTENT, secret)
        self.size = 0
        self._calls = Calls()

    def take_document(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a whole answer, and append its events."""
        self.take(record, events)
        if not record.get("candidates") and self.reason is None:
            self.fail(ProviderError("the provider's answer holds no message", retryable=True))

    def take(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a record of a stream, or a whole answer, and append its events."""
        # A running total, on every record.
        self._tokens.take(record.get("usageMetadata"))
        if record.get("error") or ("candidates" not in record and is_error(record)):
            self.fail(error_in_answer(record, secret=self._secret))
        candidates = as_array(record.get("candidates"))
        # Only one candidate is asked for; the index is often left out.
        candidate = next((entry for entry in map(as_object, candidates) if not entry.get("index")), None)
        if candidate:
            self._take_candidate(candidate, events)
        blocked = as_object(record.get("promptFeedback")).get("blockReason")
        if blocked and self.reason is None:
            # The prompt was not let through, and there are no candidates.
            self._mark("refusal")
        if not (self.failure or candidates or blocked or record.get("usageMetadata")):
            log_skipped()

    def end(self) -> list[ModelEvent]:
        """The answer is complete: its calls, and its end."""
        return [
            *self._calls.deltas(cut=self.reason == "length"),
            ModelEnd(self.reason or "stop", self._tokens.usage()),
        ]

    def _take_candidate(self, candidate: dict[str, Any], events: list[ModelEvent]) -> None:
        for part in as_array(as_object(candidate.get("content")).get("parts")):
            self._take_part(as_object(part), events)
        reason = stated_reason(candidate.get("finishReason")).upper()
        if reason in FAILURES:
            self._fail_for(reason, as_text(candidate.get("finishMessage")))
        elif reason:
            self._mark(finish_reason(reason))

    def _take_part(self, part: dict[str, Any], events: list[ModelEvent]) -> None:
        text = part.get("text")
        if "functionCall" in part:
            before = self._calls.size
            self._calls.take(as_object(part["functionCall"]), as_text(part.get(SIGNATURE)))
            self.size += self._calls.size - before
        elif isinstance(text, str):
            if text:
                self.size += len(text)
                events.append(ReasoningDelta(text) if part.get("thought") else TextDelta(text))
        elif not part.get(SIGNATURE):
            # Images, and what the provider's own tools did: nothing asks for them.
            log_skipped()

    def _fail_for(self, reason: str, words: str) -> None:
        problem, retryable = FAILURES[reason]
        reported = error_in_answer({"error": {"message": words}}, secret=self._secret)
        self.fail(ProviderError(problem, code=reason, retryable=retryable, detail=reported.detail))
