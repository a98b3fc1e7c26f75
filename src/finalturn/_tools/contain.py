"""Runs a user's code so that nothing but its outcome comes back.

Each piece runs in a task of its own, inside one task group that is gone when the pieces are. That makes
a cancellation of the turn something that can be checked: it reaches a piece only through the group's
cancel scope. An exception of the cancelled kind that comes without it is the piece's own doing, and is
what it raised, like any other. `KeyboardInterrupt` alone is never an outcome: it stops the other pieces,
and is raised itself.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, NamedTuple, TypeVar, cast

from finalturn._adapters.in_time import seconds_left

__all__ = ["Job", "Raised", "TimedOut", "contain", "interrupt_in"]

T = TypeVar("T")


class Raised(NamedTuple):
    """What the piece raised, in place of a value."""

    error: BaseException


class TimedOut(NamedTuple):
    """The piece was over time; whatever it then did does not count.

    Attributes:
        deadline: the time was the one when all pieces are to end.
        started: it had begun.
    """

    deadline: bool = False
    started: bool = True


class Job(NamedTuple, Generic[T]):
    """One piece of work.

    Attributes:
        work: the piece; it may also return a `Raised`.
        timeout: seconds it may take, from its start; ``None`` for no limit.
    """

    work: Callable[[], Awaitable[T | Raised]]
    timeout: float | None = None


async def contain(
    jobs: Sequence[Job[T]],
    *,
    limit: int = 1,
    on_end: Callable[[int, T | Raised | TimedOut], None] | None = None,
    deadline: float | None = None,
) -> list[T | Raised | TimedOut]:
    """Run the jobs, started in order and at most ``limit`` at a time; their outcomes, in order.

    A job that is over its time is cancelled, and waited for. When the caller is cancelled, so are the
    jobs, and the cancellation goes on. No exception group leaves here.

    Args:
        jobs: what to run.
        limit: how many of them at a time.
        on_end: is told of each outcome as soon as it is there, with the job's place. It raises nothing.
        deadline: when all are to end, as ``time.monotonic`` tells the time; ``None`` for never.
    """
    import anyio
    from anyio.lowlevel import checkpoint_if_cancelled

    outcomes: list[T | Raised | TimedOut] = [Raised(RuntimeError("was never started"))] * len(jobs)
    interrupts: list[KeyboardInterrupt] = []
    slots = anyio.Semaphore(limit)

    async def run(index: int, job: Job[T]) -> None:
        try:
            outcomes[index] = await _outcome(job, deadline)
            if on_end is not None:
                on_end(index, outcomes[index])
            await _settle()
        except KeyboardInterrupt as error:
            # Let out of a task, it would tear the event loop down.
            interrupts.append(error)
            group.cancel_scope.cancel()
        finally:
            slots.release()

    try:
        async with anyio.create_task_group() as group:
            for index, job in enumerate(jobs):
                await slots.acquire()
                group.start_soon(run, index, job)
    except BaseExceptionGroup as error:
        # Only an interrupt that arrives in the group itself can get here.
        raise interrupt_in(error) or error from None
    finally:
        if interrupts:
            raise interrupts[0]
    await checkpoint_if_cancelled()
    return outcomes


async def _outcome(job: Job[T], deadline: float | None) -> T | Raised | TimedOut:
    import anyio
    from anyio.lowlevel import checkpoint_if_cancelled

    cancelled = anyio.get_cancelled_exc_class()
    outcome: T | Raised
    timeout, late = job.timeout, TimedOut()
    if deadline is not None:
        left = seconds_left(deadline)
        if not left:
            return TimedOut(deadline=True, started=False)
        if timeout is None or left < timeout:
            timeout, late = left, TimedOut(deadline=True)
    scope = anyio.move_on_after(timeout)
    try:
        outcome = Raised(TimeoutError())
        # A piece that was cancelled before its start never starts.
        await checkpoint_if_cancelled()
        with scope:
            outcome = await job.work()
    except BaseException as error:
        if isinstance(error, cancelled) and anyio.current_effective_deadline() == -math.inf:
            raise
        outcome = Raised(error)
    if isinstance(outcome, Raised) and (interrupt := interrupt_in(outcome.error)):
        raise interrupt
    # A piece that resists its cancellation, and then returns or raises, was over time all the same.
    return late if scope.cancel_called else outcome


def interrupt_in(error: BaseException) -> KeyboardInterrupt | None:
    """The interrupt that an exception is, or holds."""
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return next(filter(None, map(interrupt_in, group.exceptions)), None)
    return error if isinstance(error, KeyboardInterrupt) else None


async def _settle() -> None:
    """Let a cancellation that the piece asked of its own task pass, before it ends the group."""
    import asyncio

    import anyio

    try:
        task = asyncio.current_task()
    except RuntimeError:
        return
    if task is not None and task.cancelling() and anyio.current_effective_deadline() > -math.inf:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            task.uncancel()
