"""What every test is given: an end to each wait, and signals as a process of its own would have them.

A wait that nothing ends is a failure, wherever it waits: for a thread, a process, a socket, a terminal or a
lock. Tests need no limits of their own, but where a shorter one tells more.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

AGAIN = 2.0
"""Seconds after which it is stopped once more: what is stopped may wait for something while it ends."""

_INHERITED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGCHLD", "SIGUSR1", "SIGUSR2")
"""What a process may have been started with as ignored, and hands on to those that it starts."""


class TooLong(BaseException):
    """It was stopped. Code that catches every `Exception` does not catch this."""


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Stop what runs here when its time is over. Elsewhere than in the main thread, nothing is stopped.

    Limits may stand within each other.

    Raises:
        TooLong: it was stopped, whatever it made of that.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    fired = False
    words = f"it was stopped after {seconds:g} seconds"

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal fired
        fired = True
        raise TooLong(words)

    before = signal.signal(signal.SIGALRM, stop)
    # Whoever started this process may have blocked it.
    mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    left, again = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if fired and not isinstance(error, TooLong):
            raise TooLong(words) from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGALRM, before)
        if left:
            # The outer limit begins anew: each of them ends, and that is all that they are for.
            signal.setitimer(signal.ITIMER_REAL, left, again)


@contextmanager
def usual_signals() -> Generator[None]:
    """Start processes in which no signal is ignored or blocked, and let SIGINT be a `KeyboardInterrupt` here.

    A script ignores SIGINT for its background jobs, ``nohup`` SIGHUP, and some supervisors block signals:
    every process that a test starts would inherit it. But for SIGINT, what is ignored stays without effect
    here: a handler is not inherited. Afterwards all is as it was.
    """
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _INHERITED]
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _nothing)
    mask = signal.pthread_sigmask(signal.SIG_SETMASK, ())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Handle a signal that this process was told to ignore."""
