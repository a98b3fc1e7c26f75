"""Writes an answer to an HTTP client: as a stream of records, or as one body."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEvent
from finalturn._testing.scripted_server.chat_wire import DONE, ChunkWriter, completion, error_body, sse
from finalturn._testing.scripted_server.items import HttpAnswer
from finalturn._testing.scripted_server.state import ClientConnection

__all__ = ["Sink", "StreamSink", "WholeSink", "write_answer"]


def write_answer(connection: ClientConnection, answer: HttpAnswer) -> None:
    """Send a whole response."""
    content = answer.content()
    headers = {"content-type": "application/json"}
    headers |= {name.lower(): value for name, value in answer.headers.items()}
    headers["content-length"] = str(len(content))
    connection.end_answer()
    connection.write(_head(answer.status, headers) + content)


class Sink(Protocol):
    """Takes what an answer consists of."""

    @property
    def begun(self) -> bool:
        """Whether the response has begun."""
        ...

    def event(self, event: ModelEvent) -> None:
        """Send an event."""
        ...

    def raw(self, data: bytes) -> None:
        """Send bytes in the place of events."""
        ...

    def fail(self, error: ProviderError) -> None:
        """The answer fails."""
        ...

    def end(self, *, cut: bool) -> None:
        """The answer is over; without its terminal marker when it was cut."""
        ...


class StreamSink:
    """An answer in SSE records."""

    def __init__(self, connection: ClientConnection, writer: ChunkWriter) -> None:
        self._connection = connection
        self._writer = writer
        self.begun = False

    def event(self, event: ModelEvent) -> None:
        for record in self._writer.records(event):
            self.raw(record)

    def raw(self, data: bytes) -> None:
        self._connection.write(self._started() + _chunk(data))

    def fail(self, error: ProviderError) -> None:
        if self.begun:
            self._finish(sse(error_body(error)))
        else:
            write_answer(self._connection, HttpAnswer(error.status or 500, error_body(error)))

    def end(self, *, cut: bool) -> None:
        self._finish(b"" if cut else DONE)

    def _finish(self, last: bytes) -> None:
        self._connection.end_answer()
        self._connection.write(self._started() + _chunk(last) + b"0\r\n\r\n")

    def _started(self) -> bytes:
        if self.begun:
            return b""
        self.begun = True
        return _head(200, {"content-type": "text/event-stream", "transfer-encoding": "chunked"})


class WholeSink:
    """An answer in one JSON body. Nothing is sent before its end."""

    begun = False

    def __init__(self, connection: ClientConnection, head: dict[str, Any]) -> None:
        self._connection = connection
        self._head = head
        self._events: list[ModelEvent] = []
        self._raw: list[bytes] = []

    def event(self, event: ModelEvent) -> None:
        self._events.append(event)

    def raw(self, data: bytes) -> None:
        self._raw.append(data)

    def fail(self, error: ProviderError) -> None:
        write_answer(self._connection, HttpAnswer(error.status or 500, error_body(error)))

    def end(self, *, cut: bool) -> None:
        body: object = b"".join(self._raw) if self._raw else completion(self._head, self._events)
        write_answer(self._connection, HttpAnswer(200, body))


def _chunk(data: bytes) -> bytes:
    """A chunk of a chunked body (RFC 9112, section 7.1); an empty one would end it."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n" if data else b""


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    phrases = {known_status.value: known_status.phrase for known_status in HTTPStatus}
    lines = [f"HTTP/1.1 {status} {phrases.get(status, '')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
