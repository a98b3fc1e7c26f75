"""Does work that has to end in time."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

__all__ = ["OutOfTime", "deadline_in", "in_time", "on_trio", "seconds_left"]

T = TypeVar("T")


class OutOfTime(Exception):
    """The time is up, and the work has been stopped."""


def on_trio() -> bool:
    """Whether the running task is trio's. Asked of trio itself: it may run as a guest of asyncio."""
    trio = sys.modules.get("trio")
    return trio is not None and bool(trio.lowlevel.in_trio_task())


def deadline_in(seconds: float) -> float:
    """The time of ``time.monotonic`` that is so long from now."""
    return monotonic() + seconds


def seconds_left(deadline: float) -> float:
    """How long it is to a time of ``time.monotonic``; 0 when it has come."""
    return max(0.0, deadline - monotonic())


async def in_time(deadline: float | None, work: Callable[[], Awaitable[T]]) -> T:
    """Do something that is stopped at a time of ``time.monotonic``, and not begun after it.

    On asyncio no cancel scope is entered: work that holds one open across two pieces could not leave it.

    Raises:
        OutOfTime: the time came before the work was done. Whatever it raised since does not count.
    """
    if deadline is None:
        return await work()
    seconds = seconds_left(deadline)
    if not seconds:
        raise OutOfTime
    if on_trio():
        return await _on_trio(seconds, work)
    import asyncio

    timeout = asyncio.timeout(seconds)
    try:
        async with timeout:
            return await work()
    except Exception:
        if timeout.expired():
            raise OutOfTime from None
        raise


async def _on_trio(seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    from anyio import move_on_after

    with move_on_after(seconds) as scope:
        try:
            return await work()
        except Exception:
            if not scope.cancel_called:
                raise
    raise OutOfTime
