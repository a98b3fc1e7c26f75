"""Decodes the body of a Converse answer: a stream of binary frames, or one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from pydantic_core import from_json

from finalturn._core.model import ModelEvent
from finalturn._providers.answers.decode import MAX_ANSWER, WireDecoder, log_skipped
from finalturn._providers.bedrock.answer import BedrockAnswer
from finalturn._providers.bedrock.frames import MAX_FRAME, DamagedError, Frame, Frames
from finalturn._providers.bedrock.message import reported_error
from finalturn._providers.json_types import as_object, as_text


class BedrockDecoder(WireDecoder):
    """Reads one answer, however it is cut into reads.

    A frame begins with its length, whose first byte is 0; nothing else that a server sends does.

    Args:
        answer: what makes sense of the records.
        secret: the key, which is taken out of whatever the provider says of an error.
        limit: how long the answer may be, as for every decoder.
    """

    def __init__(self, answer: BedrockAnswer, *, secret: str | None = None, limit: int = MAX_ANSWER) -> None:
        super().__init__(answer, secret=secret, limit=limit)
        self._begun = False
        self._frames: Frames | None = None

    def events(self, chunk: bytes) -> Iterator[ModelEvent]:
        """Take the next bytes, and give the events that they complete, one by one."""
        if chunk and not self._begun:
            self._begun = True
            if chunk[0] == 0:
                self._frames = Frames()
        if self._frames is None:
            yield from super().events(chunk)
            return
        events: list[ModelEvent] = []
        try:
            for frame in self._frames.feed(chunk):
                self._take_frame(frame, events)
                yield from events if self.steady else self._split_large(events)
                events.clear()
                if self.done:
                    break
        except DamagedError:
            self._break_off("the provider's answer arrived damaged")
        self._read += len(chunk)
        if self._answer.size > self._limit or self._read > self._most:
            self._overflow()
        if self._frames.overflowed:
            self._break_off(f"the provider sent an event of more than {MAX_FRAME} bytes", retryable=False)

    def close(self) -> list[ModelEvent]:
        """The body has ended, or nothing more of it is wanted: the last events."""
        if self._frames is None:
            return super().close()
        if not (self.done or self.ending.marked):
            self._break_off("the model's answer broke off: it ended without a terminal marker")
        return self._answer.end() if self.failure is None else []

    def _take_frame(self, frame: Frame, events: list[ModelEvent]) -> None:
        kind = frame.headers.get(":message-type")
        name = as_text(frame.headers.get(":event-type"))
        if kind == "error":
            self._report(":error-code", {"message": frame.headers.get(":error-message")}, frame.headers)
        elif kind == "exception" or ":exception-type" in frame.headers:
            self._report(":exception-type", _read(frame.payload), frame.headers)
        elif not name:
            log_skipped()
        elif isinstance(record := _read(frame.payload), dict):
            self._answer.take({name: record}, events)
        elif record is None:
            self._break_off("the provider sent a record that is not JSON")
        else:
            log_skipped()
        if not self.ending.live:
            self._check_end()

    def _report(self, header: str, record: object, headers: Mapping[str, object]) -> None:
        error = reported_error(as_text(headers.get(header)), as_object(record), secret=self._secret)
        self._answer.fail(error)

    def _break_off(self, problem: str, *, retryable: bool = True) -> None:
        """Nothing more can be read. A finished answer is one all the same."""
        self.done = True
        self.steady = False
        if not self.ending.settled:
            self._fail(problem, retryable=retryable)


def _read(payload: bytes) -> object:
    """The payload as JSON types; ``None`` when it is not JSON, however leniently it is read."""
    try:
        value: object = from_json(payload or b"{}")
    except ValueError:
        try:
            value = json.loads(payload.decode("utf-8", "replace"), strict=False)
        except (ValueError, RecursionError):
            return None
    return {} if value is None else value
