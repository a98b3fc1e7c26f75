"""Whether the store answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked

from finalturn.serve import _readiness
from finalturn.serve._readiness import Readiness
from finalturn.sessions import InMemorySessions

pytestmark = pytest.mark.anyio


class Store(InMemorySessions):
    """Answers as it is told, and counts."""

    def __init__(self, answer: Callable[[], Any]) -> None:
        super().__init__()
        self.answer = answer
        self.asked = 0

    def list_sessions(self, *arguments: Any) -> Any:
        self.asked += 1
        return self.answer()


def fail() -> Any:
    raise OSError


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1.0]
    monkeypatch.setattr(_readiness, "monotonic", lambda: now[0])
    return now


async def test_without_a_store_there_is_nothing_to_wait_for() -> None:
    assert await Readiness(None).ready()
    assert await Readiness(InMemorySessions()).ready()


async def test_it_is_asked_seldom_however_often_one_wants_to_know(clock: list[float]) -> None:
    store = Store(lambda: [])
    readiness = Readiness(store)
    assert all(await asyncio.gather(*(readiness.ready() for _ in range(100))))
    assert store.asked == 1
    store.answer = fail
    assert await readiness.ready()
    clock[0] += 5
    assert not await readiness.ready()
    assert store.asked == 2
    store.answer = lambda: []
    clock[0] += 5
    assert await readiness.ready()


async def test_one_that_hangs_is_not_waited_for_again(clock: list[float]) -> None:
    go_on = asyncio.Event()

    async def hang() -> list[Any]:
        await go_on.wait()
        return []

    store = Store(hang)
    readiness = Readiness(store)
    waiting = asyncio.create_task(readiness.ready())
    await wait_all_tasks_blocked()
    clock[0] += 3
    assert not await readiness.ready()
    assert not await readiness.ready() and store.asked == 1
    go_on.set()
    assert await waiting
    assert await readiness.ready()
