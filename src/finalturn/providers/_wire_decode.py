"""The body of a model's answer: bytes in, model events out. Pure, and the same for every vendor.

It is read by its shape and not by its content type, as servers answer a request for a stream with one JSON
document, and the other way round. What its records mean is another object's matter: a `WireAnswer`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Protocol

from pydantic_core import from_json

from finalturn.core.errors import ProviderError
from finalturn.core.model import ModelEvent
from finalturn.providers._failures import error_in_answer
from finalturn.providers._json_types import as_object
from finalturn.providers._sse import SSEReader

MAX_EVENT = 16 * 1024 * 1024
MAX_BODY = 64 * 1024 * 1024

# What may stand before a body, a byte order mark included.
_SPACE = b"\xef\xbb\xbf \t\r\n"


class WireAnswer(Protocol):
    """What the records of one answer say, in one vendor's format. It reads no bytes and does no I/O."""

    @property
    def finished(self) -> bool:
        """The model has said why it stopped. Only its usage may still come."""
        ...

    @property
    def over(self) -> bool:
        """The record that ends a stream has come: nothing after it is read."""
        ...

    @property
    def failure(self) -> ProviderError | None:
        """What went wrong; it is to be raised once the events before it are dealt with."""
        ...

    def take(self, record: dict[str, Any], events: list[ModelEvent], /) -> None:
        """Read a record of a stream, and append its events."""
        ...

    def take_document(self, record: dict[str, Any], events: list[ModelEvent], /) -> None:
        """Read an answer that comes as a whole, and append its events."""
        ...

    def fail(self, failure: ProviderError, /) -> None:
        """The answer has failed. The first failure counts."""
        ...

    def end(self) -> list[ModelEvent]:
        """The answer is complete: its last events."""
        ...


class WireDecoder:
    """Reads one answer, however it is cut into reads.

    Args:
        answer: what makes sense of the records.
        secret: the key, which is taken out of whatever the provider says of an error.

    Attributes:
        done: nothing more is to be read.
    """

    def __init__(self, answer: WireAnswer, *, secret: str | None = None) -> None:
        self.done = False
        self._answer = answer
        self._secret = secret
        self._sse: SSEReader | None = None
        # A body that is one document, or a web page.
        self._document: list[bytes] = []
        self._size = 0

    @property
    def finished(self) -> bool:
        """The model has said why it stopped. Only its usage may still come."""
        return self._answer.finished

    @property
    def failure(self) -> ProviderError | None:
        """What went wrong; it is to be raised once the events before it are dealt with."""
        return self._answer.failure

    def feed(self, chunk: bytes) -> list[ModelEvent]:
        """Take the next bytes, and give the events that they complete."""
        return list(self.events(chunk))

    def events(self, chunk: bytes) -> Iterator[ModelEvent]:
        """As `feed`, one by one: what a read brings is not all decoded before the first of it is shown."""
        if self._sse is None:
            chunk = self._tell_apart(chunk)
        if self._sse is None:
            return
        events: list[ModelEvent] = []
        for name, data in self._sse.feed(chunk):
            if self.done:
                break
            self._take(name, data, events)
            if events:
                yield from events
                events.clear()
        if self._sse.overflowed:
            self._fail(f"the provider sent an event of more than {MAX_EVENT} bytes")

    def close(self) -> list[ModelEvent]:
        """The body has ended, or nothing more of it is wanted: the last events."""
        events: list[ModelEvent] = []
        if self._sse is None and not self.done:
            self._take_document(b"".join(self._document), events)
        elif self._sse is not None and not self.done:
            for name, data in self._sse.close():
                self._take(name, data, events)
            if not self.finished and not self.done:
                self._fail("the model's answer broke off: it ended without a terminal marker", retryable=True)
        if self.failure is None:
            events += self._answer.end()
        return events

    def _tell_apart(self, chunk: bytes) -> bytes:
        """Find out what the body is; give back what belongs to an event stream."""
        if not self._document:
            chunk = chunk.lstrip(_SPACE)
            if chunk and chunk[:1] not in b"{[<":
                self._sse = SSEReader(MAX_EVENT)
                return chunk
        if chunk:
            self._document.append(chunk)
            self._size += len(chunk)
        if self._size > MAX_BODY:
            self._document = []
            self._fail(f"the provider sent an answer of more than {MAX_BODY} bytes")
        return b""

    def _take(self, name: bytes, data: bytes, events: list[ModelEvent]) -> None:
        try:
            record: object = from_json(data)
        except ValueError:
            if data.strip() == b"[DONE]":
                self.done = True
                return
            record = _parse_leniently(data)
        if name == b"error":
            reported = data.decode("utf-8", "replace") if record is None else record
            self._answer.fail(error_in_answer(reported, secret=self._secret))
        elif found := as_object(record):
            self._answer.take(found, events)
        elif record is None and data.lstrip().startswith(b"{"):
            self._take_broken(name, data, events)
        else:
            log_skipped()
        if self._answer.over or self._answer.failure is not None:
            self.done = True

    def _take_broken(self, name: bytes, data: bytes, events: list[ModelEvent]) -> None:
        lines = data.split(b"\n")
        if len(lines) > 1 and all(line.startswith((b"{", b"[DONE]")) for line in lines):
            # The blank lines between events were left out.
            for line in lines:
                if not self.done:
                    self._take(name, line, events)
        elif not self.finished:
            self._fail("the provider sent a record that is not JSON", retryable=True)

    def _take_document(self, body: bytes, events: list[ModelEvent]) -> None:
        if body.startswith(b"<"):
            self._fail("the provider answered with a web page; check base_url")
            return
        record = as_object(_parse_leniently(body))
        if not record:
            self._fail("the model's answer broke off: it is not a JSON document", retryable=True)
            return
        self._answer.take_document(record, events)

    def _fail(self, problem: str, *, retryable: bool = False) -> None:
        self.done = True
        self._answer.fail(ProviderError(problem, retryable=retryable))


def log_skipped() -> None:
    """Note a record that was not understood, without a word of it."""
    from finalturn._logger import logger

    logger("finalturn.providers").debug("skipped a record that is no part of an answer")


def _parse_leniently(data: bytes) -> object:
    """JSON that has halves of surrogate pairs, bare control characters or bytes that are not UTF-8.

    ``None`` when it is not JSON even so.
    """
    try:
        found: object = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return found
