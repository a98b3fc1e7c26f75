"""Joins the HTTP chunks of an answer that have come together. Pure.

Servers send each record of a stream as a chunk of its own (RFC 9112, section 7.1). An HTTP client takes each
through all of its layers, which costs more than everything that is done with the record afterwards. Chunks
mean nothing, so those that one read brings may as well be one.
"""

from __future__ import annotations

import re
from enum import Enum, auto

# A blank line ends the head; bare line feeds are taken too, as h11 takes them.
_HEAD_END = re.compile(rb"\n\r?\n")
_INTERIM = re.compile(rb"HTTP/1\.[01] 1\d\d")
_NO_BODY = re.compile(rb"HTTP/1\.[01] (?:204|304)")
_CODING = re.compile(rb"\ntransfer-encoding:[ \t]*([^\r\n]*?)[ \t]*\r?\n", re.IGNORECASE)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,20})(?:;[^\r\n]*)?[ \t]*")

MAX_HEAD = 100 * 1024
MAX_LINE = 4096


class _State(Enum):
    HEAD = auto()  # the answer's status and headers
    SIZE = auto()  # the line before a chunk
    CHUNK = auto()  # its bytes
    END = auto()  # the line break behind them
    ASIS = auto()  # whatever it is, it is passed on unchanged


class ChunkJoiner:
    """The bytes of one connection in, and the same answers with fewer chunks out.

    Only what answers a ``POST`` is touched. Nothing is held back but an unfinished line between two chunks.

    Attributes:
        broken: how the answer breaks the rules; ``None`` while it does not. What came before has been given.
    """

    __slots__ = ("_left", "_state", "_unfinished", "broken")

    def __init__(self) -> None:
        self.broken: str | None = None
        self._state: _State = _State.ASIS
        # In the head all of it; afterwards the line that is not finished.
        self._unfinished: bytes = b""
        self._left: int = 0

    @property
    def beginning(self) -> bool:
        """The head of an answer is awaited."""
        return self._state is _State.HEAD

    def sent(self, data: bytes) -> None:
        """Take note of what is sent: a request begins a new answer."""
        if data.startswith(b"POST "):
            self._state, self._unfinished = _State.HEAD, b""
        elif data.startswith((b"GET ", b"HEAD ", b"CONNECT ")):
            self._state, self._unfinished = _State.ASIS, b""

    def feed(self, data: bytes) -> bytes:
        """The bytes to pass on; there may be none yet."""
        if self._state is _State.ASIS:
            return data
        if self._state is _State.HEAD:
            at = self._read_head(data)
            return data[:at] + self._join(data[at:]) if at < len(data) else data
        return self._join(data)

    def _read_head(self, data: bytes) -> int:
        """Read on in the head, and say where the body begins in these bytes."""
        before = len(self._unfinished)
        head = self._unfinished + data
        start, look = 0, max(before - 2, 0)
        while match := _HEAD_END.search(head, look):
            end = match.end()
            if not _INTERIM.match(head, start):
                self._state, self._unfinished = _body_of(head[start:end]), b""
                return end - before
            # Something such as 100 Continue comes first.
            start = look = end
        self._unfinished = head[start:]
        if len(self._unfinished) > MAX_HEAD:
            self._state, self._unfinished = _State.ASIS, b""
        return len(data)

    def _join(self, data: bytes) -> bytes:
        if self._state is _State.ASIS:
            return data
        if self.broken is not None:
            return b""
        if self._unfinished:
            data, self._unfinished = self._unfinished + data, b""
        state: _State = self._state
        left = self._left
        pieces: list[bytes] = []
        at, size = 0, len(data)
        tail = b""
        while at < size:
            if state is _State.CHUNK:
                piece = data[at : at + left]
                pieces.append(piece)
                at += len(piece)
                left -= len(piece)
                if left:
                    break
                state = _State.END
            elif state is _State.END:
                if not data.startswith(b"\r\n", at):
                    if data[at:] == b"\r":
                        break
                    self.broken = "a chunk is longer than it says"
                    break
                at += 2
                state = _State.SIZE
            else:
                stop = data.find(b"\r\n", at)
                if stop < 0:
                    if size - at > MAX_LINE:
                        self.broken = "the line before a chunk is too long"
                    break
                match = _SIZE.fullmatch(data, at, stop)
                if match is None:
                    self.broken = "the line before a chunk gives no size"
                    break
                left = int(match[1], 16)
                if not left:
                    # The last chunk; trailers may follow.
                    state, tail = _State.ASIS, data[at:]
                    at = size
                    break
                at = stop + 2
                state = _State.CHUNK
        self._state, self._left, self._unfinished = state, left, data[at:]
        joined = b"".join(pieces)
        return b"%x\r\n%b\r\n%b" % (len(joined), joined, tail) if joined else tail


def _body_of(head: bytes) -> _State:
    """Whether the body behind this head comes in chunks. What is not plain is left to the client."""
    codings = _CODING.findall(head)
    chunked = len(codings) == 1 and codings[0].lower() == b"chunked" and not _NO_BODY.match(head)
    return _State.SIZE if chunked else _State.ASIS
