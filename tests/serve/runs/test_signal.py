from __future__ import annotations

import asyncio

import pytest
from anyio import wait_all_tasks_blocked

from finalturn._serve.runs.signal import Signal

pytestmark = pytest.mark.anyio


async def test_all_who_wait_are_woken_once() -> None:
    signal = Signal()
    woken: list[str] = []

    async def wait(name: str) -> None:
        await signal.wait()
        woken.append(name)
        await signal.wait()
        woken.append(name)

    async with asyncio.TaskGroup() as group:
        group.create_task(wait("a"))
        group.create_task(wait("b"))
        await wait_all_tasks_blocked()
        signal.notify()
        await wait_all_tasks_blocked()
        assert woken == ["a", "b"]
        signal.notify()
    assert woken == ["a", "b", "a", "b"]


async def test_whoever_gives_up_is_forgotten() -> None:
    signal = Signal()
    waiting = asyncio.create_task(signal.wait())
    await wait_all_tasks_blocked()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert vars(signal)["_waiting"] == []
    signal.notify()
