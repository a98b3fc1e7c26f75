"""One background event loop for synchronous callers."""

from __future__ import annotations

import asyncio
import atexit
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

from finalturn._core.errors import ConfigurationError, StreamClosedError

T = TypeVar("T")

# Seconds. A thread that waits without a limit may miss a signal: it is woken only by one that the system
# happens to give to this very thread, at a moment when it is already asleep.
TICK = 0.5


class PortalClosed(StreamClosedError):
    """The event loop has ended, and with it whatever was under way."""


class Closable(Protocol):
    """What can be closed."""

    async def aclose(self) -> None:
        """Close it."""
        ...


class Portal:
    """An asyncio event loop in a daemon thread."""

    def __init__(self) -> None:
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._waiting: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._streams: WeakSet[Closable] = WeakSet()
        self._ended = ""
        self._thread = threading.Thread(target=self._serve, args=(started,), name="finalturn", daemon=True)
        self._thread.start()
        self._loop, self._stopped = started.result()

    @property
    def ended(self) -> bool:
        """Whether it takes no more calls."""
        return bool(self._ended)

    def _serve(self, started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
        async def main() -> None:
            stopped = asyncio.Event()
            started.set_result((asyncio.get_running_loop(), stopped))
            await stopped.wait()
            await self._close_streams()

        try:
            # Ending it cancels what is left and closes asynchronous generators, connection pools among them.
            asyncio.run(main())
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)
        finally:
            self._ended = "the event loop of synchronous turns has ended"
            for outcome in list(self._waiting):
                _fail(outcome, PortalClosed(self._ended))

    async def _close_streams(self) -> None:
        """Close what was never read to its end, in order: asyncio closes all generators at once."""
        with self._lock:
            streams = list(self._streams)
        for stream in streams:
            await stream.aclose()

    def adopt(self, stream: Closable) -> None:
        """Close a stream at the end of the loop, if somebody still has it then."""
        with self._lock:
            self._streams.add(stream)

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
        """Run a coroutine in the loop and wait for it.

        Args:
            work: the coroutine.
            context: it runs in this very context; see `callers_context`.

        Raises:
            PortalClosed: the loop has ended.
        """
        # The outcome leaves through a future: a KeyboardInterrupt raised in a task would end the loop.
        outcome: Future[T] = Future()
        tasks: list[asyncio.Task[None]] = []
        self._waiting.add(outcome)
        try:
            self._call_soon(partial(self._begin, work, outcome, context, tasks))
            _wait(outcome)
            return outcome.result()
        except BaseException:
            if not outcome.done():
                with suppress(PortalClosed):
                    self._call_soon(lambda: tasks[0].cancel())
                    _wait(outcome)
            raise
        finally:
            self._waiting.discard(outcome)
            if not tasks:
                work.close()
            # An exception leads through its traceback to this frame: it must not lead back.
            del outcome

    def _begin(
        self,
        work: Coroutine[Any, Any, T],
        outcome: Future[T],
        context: Context,
        tasks: list[asyncio.Task[None]],
    ) -> None:
        task = self._loop.create_task(_deliver(work, outcome), context=context)
        task.add_done_callback(lambda _: _end_unstarted(work, outcome))
        tasks.append(task)

    def _call_soon(self, step: Callable[[], object]) -> None:
        if self._ended:
            raise PortalClosed(self._ended)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(step)
            return
        raise PortalClosed("the event loop of synchronous turns has ended")

    def stop(self) -> None:
        """End the loop and its thread."""
        with suppress(PortalClosed):
            self._call_soon(self._stopped.set)
        self._thread.join(timeout=5)

    def orphan(self) -> None:
        """This is a forked child, and the thread has not come along."""
        self._ended = "this turn was started in the process that this one was forked from"


def _wait(outcome: Future[Any]) -> None:
    while True:
        try:
            outcome.exception(TICK)
        except TimeoutError:
            continue
        return


def callers_context() -> Context:
    """The context variables of the caller, for work in a portal."""
    context = copy_context()
    sniffio = sys.modules.get("sniffio")
    if sniffio is not None:
        # Where the caller runs on another kind of event loop, its context says so, and anyio believes it.
        context.run(sniffio.current_async_library_cvar.set, None)
    return context


async def _deliver(work: Coroutine[Any, Any, T], outcome: Future[T]) -> None:
    try:
        outcome.set_result(await work)
    except BaseException as error:
        outcome.set_exception(error)
    finally:
        del outcome


def _end_unstarted(work: Coroutine[Any, Any, Any], outcome: Future[Any]) -> None:
    """A task that is cancelled before its first step delivers nothing itself."""
    work.close()
    _fail(outcome, asyncio.CancelledError())


def _fail(outcome: Future[Any], error: BaseException) -> None:
    if not outcome.done():
        outcome.set_exception(error)


_lock = threading.Lock()
_portal: Portal | None = None
_left_behind: list[Portal] = []


def portal() -> Portal:
    """The process's portal."""
    global _portal
    with _lock:
        if _portal is None or _portal.ended:
            _portal = Portal()
            atexit.register(_portal.stop)
        return _portal


def _after_fork() -> None:
    """A forked child gets a portal of its own: threads do not survive a fork."""
    global _lock, _portal
    _lock = threading.Lock()
    if _portal is not None:
        _portal.orphan()
        # Its loop must not be collected: closing it would reach into the parent's selector.
        _left_behind.append(_portal)
        _portal = None


_at_fork: Any = getattr(os, "register_at_fork", dict)
_at_fork(after_in_child=_after_fork)
