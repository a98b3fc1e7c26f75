"""Reads HTTP/1.1 requests, with limits on everything in them that is not the body itself.

h11 limits what it holds of a head that is not whole yet. Here a head that arrives whole is limited too: its
bytes, its headers and its target; so are trailers, and what stands around the chunks of a body.
"""

from __future__ import annotations

import re
from typing import Any

import h11

__all__ = ["LARGEST_HEAD", "MOST_HEADERS", "Parser"]

LARGEST_HEAD = 64 * 1024
"""Bytes of the request line and all headers; of the trailers; and of what stands around chunks."""

MOST_HEADERS = 128
"""Headers of a request, and its trailers."""

_LONGEST_LINE = 16 * 1024
_BLANK_LINE = re.compile(rb"\n\r?\n")
# A chunk's size and line ends, and a few bytes more (https://www.rfc-editor.org/rfc/rfc9112#section-7.1).
_PER_CHUNK = 16


class Parser(h11.Connection):
    """An `h11.Connection` of a server.

    Attributes:
        status: what a request is refused with, after `next_event` has raised.
    """

    def __init__(self) -> None:
        super().__init__(h11.SERVER, LARGEST_HEAD)
        self.status = 400
        self._framing = 0
        self._in_body = False

    def receive_data(self, data: bytes) -> None:
        """Take what has arrived."""
        if self._in_body:
            self._framing += len(data)
        super().receive_data(data)

    # h11 gives sentinels that are types.
    def next_event(self) -> Any:
        """The next event.

        Raises:
            RemoteProtocolError: the request is malformed, or beyond a limit.
        """
        if self.their_state is h11.IDLE:
            return self._head()
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            raise self._refused(error.error_status_hint, str(error)) from None
        if isinstance(event, h11.Data):
            self._framing -= len(event.data) + (_PER_CHUNK if event.chunk_start else 0)
        elif isinstance(event, h11.EndOfMessage):
            self._in_body = False
            headers = list(event.headers)
            if len(headers) > MOST_HEADERS or _size(headers) > LARGEST_HEAD:
                raise self._refused(431, "too many trailers")
        elif event is h11.NEED_DATA and self._in_body and self._framing > LARGEST_HEAD:
            raise self._refused(400, "too much around the chunks of the body")
        return event

    def _head(self) -> Any:
        self._check_head(self.trailing_data[0])
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            raise self._refused(error.error_status_hint, str(error)) from None
        if isinstance(event, h11.Request):
            self._in_body, self._framing = True, len(self.trailing_data[0])
        return event

    def _check_head(self, data: bytes) -> None:
        """Before anything is made of it: of what can be refused, nothing is parsed."""
        blank_line = _BLANK_LINE.search(data, 0, LARGEST_HEAD)
        if blank_line is None and len(data) >= LARGEST_HEAD:
            first_line = data.find(b"\n", 0, LARGEST_HEAD)
            raise self._refused(414 if first_line < 0 else 431, "the head is too large")
        end = len(data) if blank_line is None else blank_line.end()
        if data.find(b"\n", 0, _LONGEST_LINE) < 0 and end > _LONGEST_LINE:
            raise self._refused(414, "the target is too long")
        # The request line and the blank line are lines, too.
        if data.count(b"\n", 0, end) > MOST_HEADERS + 2:
            raise self._refused(431, "there are too many headers")

    def _refused(self, status: int, why: str) -> h11.RemoteProtocolError:
        self.status = status
        return h11.RemoteProtocolError(why, error_status_hint=status)


def _size(headers: list[tuple[bytes, bytes]]) -> int:
    return sum(len(name) + len(value) + 4 for name, value in headers)
