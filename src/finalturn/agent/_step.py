"""Steps that another task can interrupt, without a cancel scope that outlives them.

On asyncio this is what ``asyncio.timeout`` does: remember the task, cancel it, take the cancellation
back. A cancel scope entered for each text delta would cost a third of the whole budget, so only trio,
which has no other way, gets one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from anyio import CancelScope, Event, get_current_task

from finalturn.agent._loop import on_trio

T = TypeVar("T")


class Interrupted(Exception):
    """The step was interrupted."""


class Misuse(RuntimeError):
    """The stream was used in a way that it cannot be; its turn is unharmed."""


class Stepper(Protocol):
    """Runs steps one at a time."""

    async def run(self, step: Callable[[], Awaitable[T]], /) -> T:
        """Run a step.

        Raises:
            Interrupted: `interrupt` was called while it waited.
        """
        ...

    async def interrupt(self) -> None:
        """Interrupt the step that is under way, if any, and wait until it has ended."""
        ...


class AsyncioStepper:
    """Steps on asyncio."""

    def __init__(self) -> None:
        self._task: asyncio.Task[object] | None = None
        self._idle: asyncio.Event | None = None

    async def run(self, step: Callable[[], Awaitable[T]], /) -> T:
        task = asyncio.current_task()
        if task is None or self._task is not None:
            raise _busy()
        self._task = task
        before = task.cancelling()
        try:
            result = await step()
        except asyncio.CancelledError:
            if self._idle is not None and task.uncancel() <= before:
                raise Interrupted from None
            raise
        else:
            if self._idle is not None:
                # The step took no notice, and went on to its end.
                task.uncancel()
            return result
        finally:
            self._task = None
            if self._idle is not None:
                self._idle.set()
                self._idle = None

    async def interrupt(self) -> None:
        task = self._task
        if task is None:
            return
        if task is asyncio.current_task():
            raise _inside()
        if self._idle is None:
            self._idle = asyncio.Event()
            task.cancel()
        await self._idle.wait()


class TrioStepper:
    """Steps on trio."""

    def __init__(self) -> None:
        self._scope: CancelScope | None = None
        self._idle: Event | None = None
        self._task: int | None = None

    async def run(self, step: Callable[[], Awaitable[T]], /) -> T:
        if self._scope is not None:
            raise _busy()
        with CancelScope() as scope:
            self._scope, self._task = scope, get_current_task().id
            try:
                return await step()
            finally:
                self._scope = self._task = None
                if self._idle is not None:
                    self._idle.set()
                    self._idle = None
        raise Interrupted

    async def interrupt(self) -> None:
        if self._scope is None:
            return
        if self._task is get_current_task().id:
            raise _inside()
        if self._idle is None:
            self._idle = Event()
            self._scope.cancel()
        await self._idle.wait()


def stepper() -> Stepper:
    """The stepper for the event loop that is running."""
    return TrioStepper() if on_trio() else AsyncioStepper()


def _busy() -> Misuse:
    return Misuse("this stream is already being read by another task; one task reads a stream")


def _inside() -> Misuse:
    return Misuse("a stream cannot be closed from inside its own step")
