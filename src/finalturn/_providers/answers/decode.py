"""The body of a model's answer: bytes in, model events out. Pure, and the same for every vendor.

It is read by its shape and not by its content type, as servers answer a request for a stream with one JSON
document, and the other way round. What its records mean is another object's matter: a `WireAnswer`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from pydantic_core import from_json

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent, ReasoningDelta, TextDelta
from finalturn._providers.answers.answer import WireAnswer
from finalturn._providers.answers.sse import SSEReader
from finalturn._providers.errors.failures import error_in_answer, is_settled
from finalturn._providers.errors.record import is_error
from finalturn._providers.json_types import as_array, as_object

# How long an answer may be, where nothing else is asked for.
MAX_ANSWER = 16_777_216

# Bytes that one record or document may have beside what is counted of it.
FRAMING = 64 * 1024

# Bytes that a whole stream may have beside that: ids, names and types are repeated with every word.
MAX_WIRE = 256 * 1024 * 1024

# Bytes of a record from which on it is large, and characters of it that are dealt with at a time.
LARGE = 128 * 1024
TURN = 32 * 1024

# What may stand before a body, a byte order mark included.
_SPACE = b"\xef\xbb\xbf \t\r\n"


class WireDecoder:
    """Reads one answer, however it is cut into reads.

    Args:
        answer: what makes sense of the records.
        secret: the key, which is taken out of whatever the provider says of an error.
        limit: how long the answer may be: in characters of text, thoughts and calls; and in bytes, with
            `FRAMING` more, a document, or one record of a stream.

    Attributes:
        ending: what has been said of the answer's end.
        done: nothing more is to be read: the answer has failed.
        steady: the answer is under way, and no record of it is large. Otherwise who reads it has to look at
            `ending` and `large`.
        large: the event that was given last is a part of a large one: others may have their turn.
    """

    def __init__(self, answer: WireAnswer, *, secret: str | None = None, limit: int = MAX_ANSWER) -> None:
        self.done = False
        self.steady = True
        self.large = False
        self.ending = answer.ending
        self._answer = answer
        self._secret = secret
        self._limit = limit
        self._most = limit + MAX_WIRE
        self._sse: SSEReader | None = None
        # A body that is one document, or a web page.
        self._document: list[bytes] = []
        self._read = 0

    @property
    def failure(self) -> ProviderError | None:
        """What went wrong; it is to be raised once the events before it are dealt with."""
        return self._answer.failure

    def feed(self, chunk: bytes) -> list[ModelEvent]:
        """Take the next bytes, and give the events that they complete."""
        return list(self.events(chunk))

    def events(self, chunk: bytes) -> Iterator[ModelEvent]:
        """As `feed`, one by one: what a read brings is not all decoded before the first of it is shown."""
        sse = self._sse
        if sse is None:
            chunk = self._detect_format(chunk)
            sse = self._sse
            if sse is None:
                return
        records = sse.feed(chunk)
        if not records and sse.waiting > LARGE:
            self.steady = False
        events: list[ModelEvent] = []
        for name, data in records:
            if self.done:
                break
            self._take(name, data, events)
            if events:
                yield from events if self.steady else self._split_large(events)
                events.clear()
        self._read += len(chunk)
        if self._answer.size > self._limit or self._read > self._most or sse.overflowed:
            self._overflow()

    def close(self) -> list[ModelEvent]:
        """The body has ended, or nothing more of it is wanted: the last events."""
        events: list[ModelEvent] = []
        if self._sse is None and not self.done:
            self._take_document(b"".join(self._document), events)
        elif self._sse is not None and not self.done:
            for name, data in self._sse.close():
                self._take(name, data, events)
            if self._answer.size > self._limit:
                self._overflow()
            if not self.ending.marked and not self.done:
                self._fail("the model's answer broke off: it ended without a terminal marker", retryable=True)
        if self.failure is None:
            events += self._answer.end()
        return events

    def _split_large(self, events: list[ModelEvent]) -> Iterator[ModelEvent]:
        """The events, none of them large."""
        for event in events:
            if not isinstance(event, (TextDelta, ReasoningDelta)) or len(event.text) <= TURN:
                yield event
                continue
            self.large = True
            for start in range(0, len(event.text), TURN):
                yield replace(event, text=event.text[start : start + TURN])
            self.large = False

    def _detect_format(self, chunk: bytes) -> bytes:
        """Find out what the body is; give back what belongs to an event stream."""
        if not self._document:
            chunk = chunk.lstrip(_SPACE)
            if chunk and chunk[:1] not in b"{[<":
                self._sse = SSEReader(self._limit + FRAMING)
                return chunk
        if chunk:
            self._document.append(chunk)
            self._read += len(chunk)
        if self._read > self._limit + FRAMING:
            self._document = []
            self._overflow()
        return b""

    def _take(self, name: bytes, data: bytes, events: list[ModelEvent]) -> None:
        try:
            record: object = from_json(data)
        except ValueError:
            if data.strip() == b"[DONE]":
                self.ending.close()
                self._check_end()
                return
            record = _parse_leniently(data)
        if name == b"error":
            reported = data.decode("utf-8", "replace") if record is None else record
            self._answer.fail(error_in_answer(reported, secret=self._secret))
        elif fields := as_object(record):
            self._answer.take(fields, events)
        elif record is None and data.lstrip().startswith(b"{"):
            self._take_broken(name, data, events)
            return
        elif _holds_error(record):
            self._answer.fail(error_in_answer(record, secret=self._secret))
        else:
            log_skipped()
        if not self.ending.live:
            self._check_end()

    def _check_end(self) -> None:
        """A record has been read, and the end of the answer is spoken of, or it has failed."""
        self.steady = False
        self.done = is_settled(self.failure)
        self.ending.record(self._answer.size)

    def _take_broken(self, name: bytes, data: bytes, events: list[ModelEvent]) -> None:
        lines = data.split(b"\n")
        if len(lines) > 1 and all(line.startswith((b"{", b"[DONE]")) for line in lines):
            # The blank lines between events were left out.
            for line in lines:
                if not self.done:
                    self._take(name, line, events)
        elif not self.ending.settled:
            self._fail("the provider sent a record that is not JSON", retryable=True)

    def _take_document(self, body: bytes, events: list[ModelEvent]) -> None:
        if body.startswith(b"<"):
            self._fail("the provider answered with a web page; check base_url")
            return
        document = _parse_leniently(body)
        record = as_object(document)
        if _holds_error(document):
            self._answer.fail(error_in_answer(document, secret=self._secret))
            return
        if not record:
            self._fail("the model's answer broke off: it is not a JSON document", retryable=True)
            return
        self._answer.take_document(record, events)
        if self._answer.size > self._limit:
            self._overflow()

    def _overflow(self) -> None:
        """The answer is longer than it may be."""
        self._fail(f"the provider's answer is longer than max_answer_bytes, which is {self._limit}")

    def _fail(self, problem: str, *, retryable: bool = False) -> None:
        self.done = True
        self.steady = False
        self._answer.fail(ProviderError(problem, retryable=retryable))


def _holds_error(record: object) -> bool:
    """Whether it is a list of errors, as some servers send one of a single error."""
    return any(is_error(as_object(item)) for item in as_array(record))


def log_skipped() -> None:
    """Note a record that was not understood, without a word of it."""
    from finalturn._support.logger import logger

    logger("finalturn.providers").debug("skipped a record that is no part of an answer")


def _parse_leniently(data: bytes) -> object:
    """JSON that has halves of surrogate pairs, bare control characters or bytes that are not UTF-8.

    ``None`` when it is not JSON even so.
    """
    try:
        value: object = json.loads(data.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return value
