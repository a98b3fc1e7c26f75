"""Leaving a turn before its end."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import anyio
import pytest
from anyio import to_thread

from finalturn import StreamClosedError, SyncStream
from tests.contract._observed import Observed


@dataclass(frozen=True)
class Leave:
    """When a turn is left.

    Attributes:
        at: asked after each item or piece that is shown: whether to leave now.
        when: once it is set, the turn is left from outside, while it waits. `run` cannot be left so.
            Without it, nothing but the way in which the turn is left stops it.
        then: called when the turn has been left, while its event loop still runs; it may block.
    """

    at: Callable[[Observed], bool] = lambda observed: False
    when: threading.Event | None = None
    then: Callable[[], object] = lambda: None


class Left(Exception):
    """What a token callback raises to leave."""


@contextmanager
def closed_from_outside(items: SyncStream[object], when: threading.Event | None) -> Generator[None]:
    """Another thread closes the stream as soon as the event is set."""
    if when is None:
        yield
        return

    def close() -> None:
        when.wait()
        items.close()

    thread = threading.Thread(target=close)
    thread.start()
    try:
        yield
    finally:
        when.set()
        thread.join()


@contextmanager
def told_of_it(leave: Leave) -> Generator[None]:
    """The reader of a stream that is closed from outside is told so, and never sees an end."""
    if leave.when is None:
        yield
        return
    with pytest.raises(StreamClosedError):
        yield


@asynccontextmanager
async def on_signal(when: threading.Event | None, do: Callable[[], Awaitable[None]]) -> AsyncGenerator[None]:
    """Another task does something as soon as the event is set."""
    if when is None:
        yield
        return

    async def wait() -> None:
        await to_thread.run_sync(when.wait)
        await do()

    async with anyio.create_task_group() as group:
        group.start_soon(wait)
        try:
            yield
        finally:
            when.set()
