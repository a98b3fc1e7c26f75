"""A limit of time for code that may never come back."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

AGAIN = 2.0
"""Seconds after which it is stopped once more: what is stopped may wait for something while it ends."""


class TooLong(BaseException):
    """It was stopped. Code that catches every `Exception` does not catch this."""


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Stop what runs here when its time is over. Only in the main thread.

    Raises:
        TooLong: it was stopped, whatever it made of that.
    """
    fired = False
    words = f"it was stopped after {seconds:g} seconds"

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal fired
        fired = True
        raise TooLong(words)

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if fired and not isinstance(error, TooLong):
            raise TooLong(words) from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
