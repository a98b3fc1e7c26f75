"""Steps that another task can interrupt, without a cancel scope that outlives them.

On asyncio this is what ``asyncio.timeout`` does: remember the task, cancel it, take the cancellation
back. A cancel scope entered for each text delta would cost a third of the whole budget, so only trio,
which has no other way, gets one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from typing import Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from anyio import CancelScope, Event

from finalturn._adapters.in_time import on_trio
from finalturn._core.errors import StreamError

T = TypeVar("T")

_closing: set[asyncio.Task[object]] = set()

_alive: WeakKeyDictionary[object, list[object]] = WeakKeyDictionary()
"""What is to live as long as a run of trio."""


class Interrupted(Exception):
    """The step was interrupted."""


class Stepper(Protocol):
    """Runs steps one at a time."""

    @property
    def busy(self) -> bool:
        """Whether a step is under way."""
        ...

    async def run(self, step: Callable[[], Awaitable[T]], /) -> T:
        """Run a step.

        Raises:
            Interrupted: `interrupt` was called while it waited.
            StreamError: another step is under way; nothing has happened to it.
        """
        ...

    async def interrupt(self) -> None:
        """Interrupt the step that is under way, if any, and wait until it has ended.

        Raises:
            StreamError: it is called from inside the step.
        """
        ...

    def leave(self, close: Callable[[], Coroutine[Any, Any, object]], /) -> None:
        """Nobody will run another step. The garbage collector says so, in whatever thread.

        Args:
            close: frees what the steps have opened. It raises nothing, and needs the event loop.
        """
        ...


class AsyncioStepper:
    """Steps on asyncio."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[object] | None = None
        self._idle: asyncio.Event | None = None

    @property
    def busy(self) -> bool:
        return self._task is not None

    async def run(self, step: Callable[[], Awaitable[T]], /) -> T:
        if self._task is not None:
            raise _busy()
        self._task = task = asyncio.current_task()
        assert task is not None, "asyncio runs nothing outside a task"
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
            raise _closed_from_inside()
        if self._idle is None:
            self._idle = asyncio.Event()
            task.cancel()
        await self._idle.wait()

    def leave(self, close: Callable[[], Coroutine[Any, Any, object]], /) -> None:
        """Close it ourselves: asyncio cannot close what is collected just before its end."""
        # After the end of the loop everything is closed.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._close, close)

    def _close(self, close: Callable[[], Coroutine[Any, Any, object]]) -> None:
        task = self._loop.create_task(Unstoppable(close()))
        _closing.add(task)
        task.add_done_callback(_closing.discard)


class TrioStepper:
    """Steps on trio."""

    def __init__(self) -> None:
        from trio import lowlevel

        self._trio: Any = lowlevel
        self._token = lowlevel.current_trio_token()
        self._scope: CancelScope | None = None
        self._idle: Event | None = None
        self._task: object = None

    @property
    def busy(self) -> bool:
        return self._scope is not None

    async def run(self, step: Callable[[], Awaitable[T]], /) -> T:
        if self._scope is not None:
            raise _busy()
        with CancelScope() as scope:
            self._scope, self._task = scope, self._trio.current_task()
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
        if self._task is self._trio.current_task():
            raise _closed_from_inside()
        if self._idle is None:
            self._idle = Event()
            self._scope.cancel()
        await self._idle.wait()

    def leave(self, close: Callable[[], Coroutine[Any, Any, object]], /) -> None:
        """Close it ourselves: trio warns of open generators that are collected."""
        from trio import RunFinishedError

        # After the end of the run everything is closed.
        with suppress(RunFinishedError):
            self._token.run_sync_soon(self._close, close)

    def _close(self, close: Callable[[], Coroutine[Any, Any, object]]) -> None:
        try:
            self._trio.spawn_system_task(close)
        except RuntimeError:
            # The run is ending. What is alive now, trio closes without a warning.
            _alive.setdefault(self._token, []).append(close)


def stepper() -> Stepper:
    """The stepper for the event loop that is running."""
    return TrioStepper() if on_trio() else AsyncioStepper()


class Unstoppable(Coroutine[Any, Any, object]):
    """A coroutine that begins even when its task is cancelled first.

    The end of the loop cancels every task and waits for it, and then closes all generators at once; those
    that close each other are in each other's way there.
    """

    def __init__(self, work: Coroutine[Any, Any, object]) -> None:
        self._work = work
        self._begun = False

    def __await__(self) -> Generator[Any, Any, object]:
        return self._work.__await__()

    def send(self, value: Any, /) -> Any:
        self._begun = True
        return self._work.send(value)

    def throw(self, *error: Any) -> Any:
        return self._work.throw(*error) if self._begun else self.send(None)

    def close(self) -> None:
        self._work.close()


def _busy() -> StreamError:
    return StreamError("this stream is already being read by another task; one task reads a stream")


def _closed_from_inside() -> StreamError:
    return StreamError("a stream cannot be closed from inside its own step")
