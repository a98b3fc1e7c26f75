"""Calls code of users that may be synchronous: in threads, and what it gives is awaited if need be."""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import Context, copy_context
from typing import Any, Final, TypeVar

T = TypeVar("T")

_END: Final = object()


async def settle(value: T | Awaitable[T]) -> T:
    """The value itself, or what awaiting it gives."""
    if inspect.isawaitable(value):
        return await value
    return value


async def in_thread(fn: Callable[[], T]) -> T:
    """Call a function in a worker thread, and leave it there when the caller is cancelled."""
    from anyio import CapacityLimiter, to_thread

    def call() -> tuple[T]:
        # In a tuple, as trio lets no thread return a coroutine.
        return (fn(),)

    # A limiter of its own, without a limit: calls that were abandoned must not keep others waiting.
    limiter = CapacityLimiter(math.inf)
    return (await to_thread.run_sync(call, abandon_on_cancel=True, limiter=limiter))[0]


class ThreadedEvents(AsyncIterator[Any]):
    """A plain iterator's items. Each is waited for in a thread, in one context of its own."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._lock = threading.Lock()
        self._context: Context | None = None
        self._reading = False
        self._closed = False

    async def __anext__(self) -> Any:
        event = await in_thread(self._next)
        if event is _END:
            raise StopAsyncIteration
        return event

    async def aclose(self) -> None:
        """Close the iterator: at once, or when the thread that still waits for its next item comes back."""
        with self._lock:
            self._closed = True
            if self._reading:
                return
        if hasattr(self._events, "close"):
            await in_thread(self._close)

    def _next(self) -> object:
        with self._lock:
            if self._closed:
                return _END
            self._reading = True
            if self._context is None:
                # Taken here: anyio has made this thread's context fit for code without an event loop.
                self._context = copy_context()
        try:
            return self._context.run(next, self._events, _END)
        finally:
            with self._lock:
                self._reading = False
                closed = self._closed
            if closed:
                self._close()

    def _close(self) -> None:
        close: Any = getattr(self._events, "close", None)
        if close is not None:
            (self._context or copy_context()).run(close)
