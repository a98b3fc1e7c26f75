"""Ends the server's process in time once it has been asked to end.

The event loop can be held up by a function that blocks it, and the end of the process by a thread that nobody
can stop, such as that of a tool, or by a task that takes no notice of its cancellation. A thread waits for
the signal, and then watches the rest.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from contextlib import suppress
from time import monotonic, sleep

__all__ = ["ProcessEnding"]

from finalturn._support.logger import logger

_log = logger("finalturn.serve")

_ENDED, _CUT_OFF = 0, 1
# What is left after the drain: turns are stopped, last records are sent, the store is closed.
_AFTER_DRAIN = 9.0
# The interpreter waits for threads; nobody is served any more.
_AFTER_ALL = 3.0
_ANSWERS_WITHIN = 1.0


class ProcessEnding:
    """The end of the process.

    Args:
        patience: for so many seconds after the signal turns may go on.
    """

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._asked = threading.Event()
        self._asked_at = 0.0
        self._served = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.unblocking = False

    def watch(self) -> None:
        """Begin to watch, in the thread of the event loop, which runs."""
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._watch, name="finalturn ending", daemon=True).start()

    def ask(self) -> None:
        """The signal has come; for a handler of it."""
        if not self._asked.is_set():
            self._asked_at = monotonic()
            self._asked.set()

    @property
    def left(self) -> float:
        """For how many seconds turns may still go on."""
        return max(0.0, self._asked_at + self._patience - monotonic()) if self._asked_at else self._patience

    def served(self) -> None:
        """All clients have been told: what is still there is waited for by nobody."""
        self._served.set()

    def _watch(self) -> None:
        self._asked.wait()
        end = self._asked_at + self._patience + _AFTER_DRAIN
        if not self._served.wait(self.left):
            while not self._served.wait(_ANSWERS_WITHIN / 4):
                if monotonic() > end:
                    _log.error("the server was cut off: it did not end in time")
                    _exit(_CUT_OFF)
                self._unblock()
        self._served.wait()
        sleep(_AFTER_ALL)
        _log.warning("what goes on without an end was left behind", extra={"threads": _others()})
        _exit(_ENDED)

    def _unblock(self) -> None:
        """Interrupt a function that blocks the event loop: a signal handler can raise in it."""
        answered = threading.Event()
        assert self._loop is not None
        try:
            self._loop.call_soon_threadsafe(answered.set)
        except RuntimeError:
            # It is closed.
            return
        if not answered.wait(_ANSWERS_WITHIN) and hasattr(signal, "pthread_kill"):
            self.unblocking = True
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _others() -> int:
    """How many threads keep the process alive."""
    main = threading.main_thread()
    return sum(not thread.daemon and thread is not main for thread in threading.enumerate())


def _exit(code: int) -> None:
    """End now, whatever else goes on."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
