"""What only asyncio has: cancellation by ``Task.cancel``, counted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from finalturn._tools.contain import Job, Raised, contain

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def forever() -> None:
    await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("swallow", [False, True])
async def test_a_cancelled_task_cancels_the_pieces_and_goes_on(swallow: bool) -> None:
    seen: list[str] = []
    started = asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await forever()
        except asyncio.CancelledError:
            seen.append("cancelled")
            if not swallow:
                raise

    async def turn() -> None:
        await contain([Job(work), Job(work)], limit=2)
        seen.append("went on")

    task = asyncio.create_task(turn())
    await started.wait()
    task.cancel("from outside")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["cancelled", "cancelled"]
    assert task.cancelled()


async def test_the_count_of_cancellations_stays_right() -> None:
    started = asyncio.Event()

    async def work() -> None:
        started.set()
        await forever()

    async def turn() -> int:
        task = asyncio.current_task()
        assert task is not None
        with pytest.raises(asyncio.CancelledError):
            await contain([Job(work)])
        return task.uncancel()

    task = asyncio.create_task(turn())
    await started.wait()
    task.cancel()
    assert await task == 0


async def test_a_timeout_of_asyncio_around_it() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await contain([Job(forever)])
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(contain([Job(forever)]), 0.01)
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


def cancel_myself() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


async def returns() -> str:
    cancel_myself()
    return "returned"


async def waits() -> None:
    cancel_myself()
    await asyncio.sleep(0)


async def raises() -> None:
    cancel_myself()
    raise ValueError


async def awaits_what_was_cancelled() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


@pytest.mark.parametrize(
    ("work", "kind"),
    [
        (returns, str),
        (waits, asyncio.CancelledError),
        (raises, ValueError),
        (awaits_what_was_cancelled, asyncio.CancelledError),
    ],
)
async def test_a_piece_that_cancels_itself_is_no_cancellation_of_the_turn(
    work: Callable[[], Any], kind: type[object]
) -> None:
    go = asyncio.Event()

    async def sibling() -> str:
        await go.wait()
        return "unharmed"

    async def last() -> str:
        # Long enough for a cancellation to spread, if it did.
        for _ in range(5):
            await asyncio.sleep(0)
        go.set()
        return "last"

    found = await contain([Job[Any](sibling), Job[Any](work), Job[Any](last)], limit=3)
    assert isinstance(found[1].error if isinstance(found[1], Raised) else found[1], kind)
    assert (found[0], found[2]) == ("unharmed", "last")
