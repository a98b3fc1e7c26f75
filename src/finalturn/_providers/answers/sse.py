"""Server-sent events: bytes in, events out.

After the event stream grammar of the HTML standard (section 9.2), with two differences that model
servers call for: an event without data is never given, and one that the body ends in, without a blank
line, is.
"""

from __future__ import annotations

from typing import TypeAlias

_BOM = b"\xef\xbb\xbf"
# As a number: looking for `bytes` makes an error first, and drops it.
_CR = ord("\r")


ServerSentEvent: TypeAlias = tuple[bytes, bytes]
"""An event's type, empty when it has none, and its data lines, joined by line feeds and never empty."""


class SSEReader:
    """Cuts a body into events, however it is cut into reads.

    Lines end in CRLF, LF or CR, and in nothing else: the data is bytes throughout.

    Args:
        max_event: the most bytes that one unfinished event may have.

    Attributes:
        overflowed: an event was longer than that. Nothing is read any more.
    """

    __slots__ = ("_after_cr", "_data", "_line", "_max_event", "_name", "_size", "_start", "overflowed")

    def __init__(self, max_event: int) -> None:
        self._max_event = max_event
        self._start: bytes | None = b""
        self._after_cr = False
        # The pieces of the line that has not ended yet.
        self._line: list[bytes] = []
        self._data: list[bytes] = []
        self._name = b""
        self._size = 0
        self.overflowed = False

    @property
    def waiting(self) -> int:
        """Bytes of the event that has not ended yet."""
        return self._size

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """Take the next bytes, and give the events that they complete."""
        if self._start is not None:
            chunk = self._skip_bom(chunk)
        if self._after_cr and chunk:
            # The line has ended with the CR already.
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if _CR in chunk:
            self._after_cr = chunk.endswith(b"\r")
            chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if not chunk or self.overflowed:
            return []
        lines = chunk.split(b"\n")
        unfinished = lines.pop()
        events: list[ServerSentEvent] = []
        if lines:
            if self._line:
                self._line.append(lines[0])
                lines[0] = b"".join(self._line)
                self._line = []
            self._take(lines, events)
        if unfinished:
            self._line.append(unfinished)
            self._size += len(unfinished)
        if self._size > self._max_event:
            self.overflowed = True
            self._line, self._data = [], []
        return events

    def close(self) -> list[ServerSentEvent]:
        """The body has ended: the event that is left over, if any."""
        return self.feed(b"\n\n")

    def _take(self, lines: list[bytes], events: list[ServerSentEvent]) -> None:
        data = self._data
        for line in lines:
            if not line:
                joined = data[0] if len(data) == 1 else b"\n".join(data)
                if joined:
                    events.append((self._name, joined))
                data.clear()
                self._name = b""
            elif line.startswith(b"data:"):
                data.append(line[6:] if line.startswith(b" ", 5) else line[5:])
            elif line.startswith(b"event:"):
                self._name = line[6:].removeprefix(b" ")
        # Most often nothing is left over.
        self._size = len(self._name) + sum(map(len, data)) if data or self._name else 0

    def _skip_bom(self, chunk: bytes) -> bytes:
        chunk = (self._start or b"") + chunk
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            self._start = chunk
            return b""
        self._start = None
        return chunk.removeprefix(_BOM)
