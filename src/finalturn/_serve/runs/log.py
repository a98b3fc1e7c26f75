"""Keeps the frames of one run for its readers, and for clients that reconnect."""

from __future__ import annotations

from collections import deque

__all__ = ["FrameLog", "FramesGoneError"]


class FramesGoneError(Exception):
    """A frame that is asked for is not kept any more."""


class FrameLog:
    """Numbered frames, of which the oldest go when there are too many bytes: delivered ones only.

    Args:
        keep: how many bytes of delivered frames are kept.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._frames: deque[bytes] = deque()
        self._first = 1
        self._delivered = 0
        self._size = 0
        self._undelivered = 0

    @property
    def first(self) -> int:
        """The number of the oldest frame that is kept, or of the next one."""
        return self._first

    @property
    def last(self) -> int:
        """The number of the newest frame; 0 when there is none."""
        return self._first + len(self._frames) - 1

    @property
    def undelivered(self) -> int:
        """Bytes that no client has got yet."""
        return self._undelivered

    @property
    def _delivered_size(self) -> int:
        """Bytes of frames that a client has got."""
        return self._size - self._undelivered

    def append(self, frame: bytes) -> None:
        """Add the next frame."""
        self._frames.append(frame)
        self._size += len(frame)
        self._undelivered += len(frame)

    def after(self, number: int) -> list[bytes]:
        """The frames after that one.

        Raises:
            FramesGoneError: one of them is not kept any more.
        """
        skip = number + 1 - self._first
        if skip < 0:
            raise FramesGoneError
        if skip == len(self._frames):
            return []
        return [self._frames[place] for place in range(skip, len(self._frames))]

    def deliver(self, number: int) -> None:
        """A client has got the frames up to that one."""
        while self._delivered < number:
            self._delivered += 1
            self._undelivered -= len(self._frames[self._delivered - self._first])
        # The newest one is kept however large it is: it may be the one that a client did not get whole.
        least = 1 if self._keep else 0
        while (
            len(self._frames) > least and self._first <= self._delivered and self._delivered_size > self._keep
        ):
            self._size -= len(self._frames.popleft())
            self._first += 1
