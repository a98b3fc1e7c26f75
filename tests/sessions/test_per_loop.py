"""One thing for each event loop."""

from __future__ import annotations

import asyncio
import gc
import threading

import pytest

from finalturn._sessions.per_loop import PerLoop


class Things:
    """Makes numbers, and remembers on which loop each was closed."""

    def __init__(self) -> None:
        self.made: list[asyncio.AbstractEventLoop] = []
        self.closed: dict[int, asyncio.AbstractEventLoop] = {}

    def make(self) -> int:
        self.made.append(asyncio.get_running_loop())
        return len(self.made)

    async def close(self, number: int) -> None:
        await asyncio.sleep(0)
        self.closed[number] = asyncio.get_running_loop()

    @property
    def on_their_loops(self) -> bool:
        return all(self.made[number - 1] is loop for number, loop in self.closed.items())


def test_a_loop_gets_one_and_closes_it_at_its_end() -> None:
    things = Things()
    kept = PerLoop(things.make, things.close)

    async def use() -> set[int]:
        return set(await asyncio.gather(*(kept.get() for _ in range(5))))

    assert [asyncio.run(use()), asyncio.run(use())] == [{1}, {2}]
    assert list(things.closed) == [1, 2] and things.on_their_loops


def test_one_that_nobody_has_any_more_is_closed_all_the_same() -> None:
    things = Things()

    async def use() -> None:
        await PerLoop(things.make, things.close).get()
        gc.collect()

    asyncio.run(use())
    assert list(things.closed) == [1]


@pytest.mark.anyio
async def test_closed_by_hand_it_is_made_anew() -> None:
    things = Things()
    kept = PerLoop(things.make, things.close)
    await kept.aclose()
    assert await kept.get() == 1
    await kept.aclose()
    assert list(things.closed) == [1]
    assert await kept.get() == 2
    await kept.aclose()
    assert list(things.closed) == [1, 2]


def test_another_loop_closes_its_own() -> None:
    things = Things()
    kept = PerLoop(things.make, things.close)
    got, closed = threading.Event(), threading.Event()

    async def elsewhere() -> None:
        await kept.get()
        got.set()
        await asyncio.to_thread(closed.wait, 60)
        while not things.closed:
            await asyncio.sleep(0)

    thread = threading.Thread(target=lambda: asyncio.run(elsewhere()))
    thread.start()
    assert got.wait(60)
    asyncio.run(kept.aclose())
    closed.set()
    thread.join(60)
    assert list(things.closed) == [1] and things.on_their_loops


def test_a_loop_that_has_ended_is_passed_over() -> None:
    things = Things()
    kept = PerLoop(things.make, things.close)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(kept.get())
    loop.close()
    asyncio.run(kept.aclose())
    assert things.closed == {}
