"""Keeps one resource for each event loop of asyncio, and closes it with its loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from contextvars import Context
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["PerLoop"]

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Makes a resource when a loop first asks for one. It is closed when its loop ends, or by `aclose`.

    It is not closed when this object is collected: that is often the last that happens on a loop, which
    would not wait for it any more.

    Args:
        make: makes one, on the running loop.
        close: closes one, on the loop that it was made on.
    """

    def __init__(self, make: Callable[[], T], close: Callable[[T], Awaitable[None]]) -> None:
        self._make = make
        self._close = close
        self._entries: WeakKeyDictionary[asyncio.AbstractEventLoop, _LoopEntry[T]] = WeakKeyDictionary()
        # Loops may run in threads of their own.
        self._lock = Lock()

    async def get(self) -> T:
        """The one of the running loop."""
        loop = asyncio.get_running_loop()
        with self._lock:
            entry = self._entries.get(loop)
            if entry is None or entry not in _open:
                entry = self._entries[loop] = _LoopEntry(self._make(), self._close)
                _open.add(entry)
                fresh = True
            else:
                fresh = False
        if fresh:
            await entry.begin()
        return entry.resource

    async def aclose(self) -> None:
        """Close them: the running loop's now, those of other loops as soon as these get to it."""
        with self._lock:
            here = self._entries.pop(asyncio.get_running_loop(), None)
            elsewhere = list(self._entries.items())
            self._entries.clear()
        for loop, entry in elsewhere:
            # A loop that has ended has closed its own.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(entry.close_soon, context=Context())
        if here is not None:
            await here.aclose()


class _LoopEntry(Generic[T]):
    """A resource, and the generator that closes it: a loop finishes its generators when it ends."""

    def __init__(self, resource: T, close: Callable[[T], Awaitable[None]]) -> None:
        self.resource = resource
        self._closing: asyncio.Task[None] | None = None
        self._generator = self._run(close)

    async def begin(self) -> None:
        """Make the running loop know of the generator."""
        await anext(self._generator)

    async def _run(self, close: Callable[[T], Awaitable[None]]) -> AsyncGenerator[None]:
        try:
            yield
        finally:
            _open.discard(self)
            await close(self.resource)

    async def aclose(self) -> None:
        """Close it on its own loop, which is running."""
        await self._generator.aclose()

    def close_soon(self) -> None:
        """The same, for a callback of the loop."""
        # A loop refers to its tasks weakly.
        self._closing = asyncio.ensure_future(self.aclose())


# A loop refers to its generators weakly.
_open: set[_LoopEntry[Any]] = set()
