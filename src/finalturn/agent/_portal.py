"""One background event loop for synchronous callers."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from contextvars import Context
from typing import Any, TypeVar

from finalturn.core.errors import ConfigurationError

T = TypeVar("T")


class Portal:
    """An asyncio event loop in a daemon thread."""

    def __init__(self) -> None:
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=self._serve, args=(started,), name="finalturn", daemon=True)
        self._thread.start()
        self._loop, self._stopped = started.result()
        self.process: int = os.getpid()

    def _serve(self, started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
        async def main() -> None:
            stopped = asyncio.Event()
            started.set_result((asyncio.get_running_loop(), stopped))
            await stopped.wait()

        # Ending it cancels what is left and closes asynchronous generators, connection pools among them.
        asyncio.run(main())

    def check(self, instead: str) -> None:
        """Refuse a call from the loop's own thread, which would wait for itself.

        Raises:
            ConfigurationError: naming the asynchronous method to use instead.
        """
        if threading.current_thread() is self._thread:
            raise ConfigurationError(
                f"a synchronous call from inside a synchronous turn would wait for itself; use {instead}"
            )

    def call(self, work: Coroutine[Any, Any, T], context: Context) -> T:
        """Run a coroutine in the loop, with these context variables, and wait for it."""
        future: Future[T] = Future()
        # The outcome leaves through the future: a KeyboardInterrupt raised in a task would end the loop.
        tasks: list[asyncio.Task[None]] = []

        def begin() -> None:
            tasks.append(self._loop.create_task(_deliver(work, future), context=context))

        self._loop.call_soon_threadsafe(begin)
        try:
            return future.result()
        except BaseException:
            if not future.done():
                self._loop.call_soon_threadsafe(lambda: tasks[0].cancel())
                wait([future])
            raise

    def stop(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(timeout=5)


async def _deliver(work: Coroutine[Any, Any, T], future: Future[T]) -> None:
    try:
        result = await work
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)


_lock = threading.Lock()
_portal: Portal | None = None


def portal() -> Portal:
    """The process's portal. A forked child gets one of its own: threads do not survive a fork."""
    global _portal
    with _lock:
        if _portal is None or _portal.process != os.getpid():
            _portal = Portal()
            atexit.register(_stop, _portal)
        return _portal


def _stop(one: Portal) -> None:
    if one.process == os.getpid():
        one.stop()
