"""Which event loop runs, and work that its cancellations do not reach."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar

import anyio
import pytest
from anyio.lowlevel import checkpoint

from finalturn._adapters.in_time import on_trio
from finalturn._agent.loop import shielded

pytestmark = pytest.mark.anyio

user: ContextVar[str] = ContextVar("user", default="nobody")


class Work:
    """Work that waits half way."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.begun, self.go_on, self.done = anyio.Event(), anyio.Event(), anyio.Event()
        self.error = error

    async def __call__(self) -> str:
        self.begun.set()
        await self.go_on.wait()
        await checkpoint()
        self.done.set()
        if self.error is not None:
            raise self.error
        return "done"


async def test_the_loop_is_known(anyio_backend: str) -> None:
    assert on_trio() is (anyio_backend == "trio")


def test_without_a_loop_it_is_not_trio() -> None:
    assert on_trio() is False


async def test_it_gives_what_the_work_gives() -> None:
    work = Work()
    work.go_on.set()
    assert await shielded(work) == "done"


async def test_the_work_has_the_callers_context() -> None:
    async def work() -> str:
        return user.get()

    user.set("u1")
    assert await shielded(work) == "u1"


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
async def test_it_raises_what_the_work_raises(error: BaseException) -> None:
    """An interrupt too, and it does not tear the event loop down."""
    work = Work(error)
    work.go_on.set()
    with pytest.raises(type(error)) as caught:
        await shielded(work)
    assert caught.value is error
    await checkpoint()


async def test_a_cancellation_comes_after_the_work() -> None:
    work = Work()
    after: list[str] = []

    async def run() -> None:
        try:
            await shielded(work)
        finally:
            after.append("done" if work.done.is_set() else "not done")
        after.append("went on")

    async with anyio.create_task_group() as group:
        group.start_soon(run)
        await work.begun.wait()
        group.cancel_scope.cancel()
        work.go_on.set()
    assert after == ["done"]


async def test_a_cancellation_from_before_too() -> None:
    work = Work()
    work.go_on.set()
    with anyio.CancelScope() as scope:
        scope.cancel()
        await shielded(work)
    assert work.done.is_set()
    assert scope.cancelled_caught


async def test_what_fails_while_cancelled_is_cancelled() -> None:
    work = Work(ValueError("nobody is there to hear of it"))

    async with anyio.create_task_group() as group:
        group.start_soon(shielded, work)
        await work.begun.wait()
        group.cancel_scope.cancel()
        work.go_on.set()
    assert work.done.is_set()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
class TestAsyncio:
    """Its own cancel(), which anyio's scopes do not stop."""

    async def test_any_number_of_cancellations_come_after_the_work(self) -> None:
        work = Work()
        task = asyncio.ensure_future(shielded(work))
        await work.begun.wait()
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
            assert not task.done()
        work.go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert work.done.is_set()
        assert task.cancelling() == 3

    async def test_cancelled_before_its_start_it_starts_nothing(self) -> None:
        work = Work()
        task = asyncio.ensure_future(shielded(work))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not work.begun.is_set()

    async def test_a_timeout_waits_for_the_work(self) -> None:
        work = Work()

        async def let_go() -> None:
            await work.begun.wait()
            await asyncio.sleep(0)
            work.go_on.set()

        letting = asyncio.ensure_future(let_go())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await shielded(work)
        assert work.done.is_set()
        await letting

    async def test_work_that_is_cancelled_by_others_is_over(self) -> None:
        """As the end of the event loop does to every task."""
        work = Work()
        task = asyncio.ensure_future(shielded(work))
        await work.begun.wait()
        for other in asyncio.all_tasks() - {asyncio.current_task(), task}:
            if "_Outcome.make" in repr(other):
                other.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not work.done.is_set()
