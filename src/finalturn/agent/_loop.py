"""Which event loop is running, and what to do while it cancels."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


def on_trio() -> bool:
    """Whether the running task is trio's. Asked of trio itself: it may run as a guest of asyncio."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())


async def shielded(work: Callable[[], Awaitable[T]]) -> T:
    """Do something to its end, even when cancelled meanwhile; the cancellation is raised afterwards."""
    from anyio import CancelScope

    scope = CancelScope(shield=True)
    if on_trio():
        with scope:
            return await work()
        raise AssertionError("a shielding scope that nobody cancels lets nothing fall through")
    # asyncio's own cancel() passes anyio's shield, so the work is a task that it does not reach.
    task = asyncio.ensure_future(_as_coroutine(work))
    cancelled: asyncio.CancelledError | None = None
    with scope:
        while not task.done():
            try:
                await asyncio.shield(task)
            except asyncio.CancelledError as error:
                cancelled = error
            except Exception:
                break
    if cancelled is not None and not task.cancelled():
        task.exception()
        raise cancelled
    return task.result()


async def _as_coroutine(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
