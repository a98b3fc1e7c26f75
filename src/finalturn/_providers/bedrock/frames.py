"""Frames of an ``application/vnd.amazon.eventstream`` body: bytes in, headers and payloads out.

The reading is botocore's, checksums included. The format is the "Amazon Event Stream Specification" of
Smithy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from finalturn._providers.bedrock.aws import part_of_botocore

# A tool's whole input may come in one frame.
MAX_FRAME = 4 * 1024 * 1024

# What is handed on at once: botocore copies all that it holds for each frame that it finds.
_SLICE = 64 * 1024


class DamagedError(ValueError):
    """The bytes are no frames."""


class Frame(NamedTuple):
    """One frame.

    Attributes:
        headers: by their names, which begin with a colon.
    """

    headers: Mapping[str, object]
    payload: bytes


class Frames:
    """Cuts a body into frames, however it arrives.

    Attributes:
        overflowed: a frame is larger than `MAX_FRAME`; nothing may be fed any more.
    """

    def __init__(self) -> None:
        self.overflowed = False
        self._buffer: Any = part_of_botocore("eventstream").EventStreamBuffer()
        self._waiting = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Take the next bytes, and give the frames that they complete.

        Raises:
            DamagedError: they are no frames, or a checksum is wrong; nothing may be fed any more.
        """
        for start in range(0, len(chunk), _SLICE):
            piece = chunk[start : start + _SLICE]
            self._buffer.add_data(piece)
            self._waiting += len(piece)
            while (frame := self._next()) is not None:
                self._waiting -= frame.prelude.total_length
                yield Frame(frame.headers, frame.payload)
            if self._waiting > MAX_FRAME:
                self.overflowed = True
                return

    def _next(self) -> Any:
        try:
            return next(self._buffer, None)
        except Exception:
            # Whatever it raises: the lengths and types in a frame may be anything.
            raise DamagedError from None
