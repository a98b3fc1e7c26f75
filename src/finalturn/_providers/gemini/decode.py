"""The body of a generateContent answer, which may also be one JSON array of all its records.

It is, where a server does not know ``alt=sse``. Errors may stand in an array too.
"""

from __future__ import annotations

import json

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import MAX_ANSWER, WireDecoder
from finalturn._providers.gemini.answer import GeminiAnswer
from finalturn._providers.json_types import as_array, as_object


class GeminiDecoder(WireDecoder):
    """Reads one answer, however it is cut into reads.

    Args:
        secret: the key or token, which is taken out of whatever the provider says of an error.
        limit: how long the answer may be, as for every decoder.
    """

    def __init__(self, secret: str | None, *, limit: int = MAX_ANSWER) -> None:
        self._gemini = GeminiAnswer(secret)
        super().__init__(self._gemini, secret=secret, limit=limit)

    def _take(self, name: bytes, data: bytes, events: list[ModelEvent]) -> None:
        records = _records(data)
        if not records or name == b"error":
            super()._take(name, data, events)
            return
        self._take_all(records, events)
        if not self.ending.live:
            self._check_end()

    def _take_document(self, body: bytes, events: list[ModelEvent]) -> None:
        records = _records(body)
        if not records:
            super()._take_document(body, events)
            return
        self._take_all(records, events)
        if not self.ending.marked:
            problem = "the model's answer broke off: it ended without a terminal marker"
            self._gemini.fail(ProviderError(problem, retryable=True))

    def _take_all(self, records: list[object], events: list[ModelEvent]) -> None:
        for entry in records:
            record = as_object(entry)
            if record and self._gemini.failure is None:
                self._gemini.take(record, events)


def _records(data: bytes) -> list[object]:
    """The records of an array; none when it is not one."""
    if data.lstrip()[:1] != b"[":
        return []
    try:
        return as_array(json.loads(data.decode("utf-8", "replace"), strict=False))
    except (ValueError, RecursionError):
        return []
