"""Tells asyncio from trio, and does work that a cancellation must not cut off, or that must end in time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

from finalturn._adapters.in_time import on_trio

T = TypeVar("T")

_LAST_SECONDS = 1.0
_CANCELLED = asyncio.CancelledError

_abandoned_tasks: set[asyncio.Task[None]] = set()


async def shielded(work: Callable[[], Awaitable[T]]) -> T:
    """Do something to its end, even when cancelled meanwhile; the cancellation is raised afterwards."""
    from anyio import CancelScope
    from anyio.lowlevel import checkpoint_if_cancelled

    outcome = _Outcome(work)
    cancellations: list[asyncio.CancelledError] = []
    with CancelScope(shield=True):
        if on_trio():
            await outcome.make()
        else:
            await _run_uncancelled(outcome.make(), cancellations)
    if cancellations:
        # Popped, for an exception leads through its traceback to this frame: it must not lead back.
        raise cancellations.pop()
    await checkpoint_if_cancelled()
    return outcome.give()


async def within(seconds: float, work: Callable[[], Awaitable[T]]) -> T:
    """Do something that may take so long, and leave it where it is when it does not even end by cancellation.

    Raises:
        TimeoutError: it took longer.
    """
    from anyio import fail_after

    if on_trio():
        with fail_after(seconds):
            return await work()
    outcome = _Outcome(work)
    task = asyncio.ensure_future(outcome.make())
    try:
        await asyncio.wait({task}, timeout=seconds)
        late = not task.done()
    finally:
        if not task.done():
            await _cancel_and_wait(task)
    if late and not outcome.has_answer:
        raise TimeoutError
    return outcome.give()


async def _cancel_and_wait(task: asyncio.Task[None]) -> None:
    """Cancel a task, and wait for it a little."""
    from anyio import CancelScope

    # A loop refers to its tasks weakly.
    _abandoned_tasks.add(task)
    task.add_done_callback(_abandoned_tasks.discard)
    task.cancel()
    with CancelScope(shield=True):
        await asyncio.wait({task}, timeout=_LAST_SECONDS)


async def _run_uncancelled(
    work: Coroutine[Any, Any, None], cancellations: list[asyncio.CancelledError]
) -> None:
    """Asyncio's own cancel() passes anyio's shield, so the work is a task that it does not reach."""
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancellations[:] = [error]


class _Outcome(Generic[T]):
    """What comes of some work. Nothing that it raises leaves its task, which would end the event loop."""

    def __init__(self, work: Callable[[], Awaitable[T]]) -> None:
        self._work = work
        self._results: list[T] = []
        self._errors: list[BaseException] = []

    async def make(self) -> None:
        try:
            self._results.append(await self._work())
        except BaseException as error:
            self._errors.append(error)

    @property
    def has_answer(self) -> bool:
        """Whether it came to an end of its own."""
        return bool(self._results) or any(not isinstance(error, _CANCELLED) for error in self._errors)

    def give(self) -> T:
        if self._errors:
            raise self._errors.pop()
        return self._results.pop()
