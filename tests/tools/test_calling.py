"""Sync functions go to a thread, async ones stay."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

import anyio
import pytest

from finalturn._tools.calling import call, call_then
from finalturn._tools.contain import Raised

pytestmark = pytest.mark.anyio


def place() -> int:
    return threading.get_ident()


async def async_place() -> int:
    return threading.get_ident()


def sync_wrapper() -> Awaitable[int]:
    return async_place()


async def test_where_it_runs() -> None:
    here = threading.get_ident()
    assert await call(place) != here
    assert await call(async_place) == here
    assert await call(sync_wrapper) == here


async def test_what_follows() -> None:
    assert await call_then(lambda: 1, str) == "1"
    assert await call_then(partial(giving, 1), str) == "1"
    assert await call_then(lambda: giving(1), str) == "1"


async def giving(value: int) -> int:
    return value


async def test_what_follows_a_sync_function_runs_with_it() -> None:
    assert await call_then(lambda: 1, lambda value: threading.get_ident()) != threading.get_ident()


@pytest.mark.parametrize(
    "error",
    [
        ValueError(),
        StopIteration(),
        SystemExit(),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
    ],
)
async def test_what_a_sync_function_raises_is_returned(error: BaseException) -> None:
    def fail() -> None:
        raise error

    found = await call(fail)
    assert isinstance(found, Raised)
    assert found.error is error


async def test_what_fails_afterwards_is_the_same() -> None:
    found = await call_then(lambda: "x", int)
    assert isinstance(found, Raised)
    assert isinstance(found.error, ValueError)


async def test_context_variables() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    variable.set("outside")

    def work() -> str:
        found = variable.get()
        variable.set("inside")
        return found

    assert await call(work) == "outside"
    assert variable.get() == "outside"


async def test_the_loop_goes_on_while_a_sync_function_blocks() -> None:
    ticked = threading.Event()

    async def tick() -> None:
        ticked.set()

    async with anyio.create_task_group() as group:
        group.start_soon(tick)
        assert await call(lambda: ticked.wait(10)) is True


async def test_an_abandoned_function_keeps_no_other_waiting() -> None:
    release = threading.Event()
    entered: list[int] = []

    def block() -> None:
        entered.append(1)
        release.wait(10)

    async def until_blocked(count: int, work: Callable[[], Any]) -> None:
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                for _ in range(count):
                    group.start_soon(call, work)
                while len(entered) < count:
                    await anyio.lowlevel.checkpoint()
                scope.cancel()

    try:
        # More than any default limit of threads.
        await until_blocked(45, block)
        assert await call(place) != threading.get_ident()
    finally:
        release.set()


async def test_a_long_function_can_ask_whether_it_was_abandoned() -> None:
    entered, told = threading.Event(), threading.Event()

    def work() -> None:
        entered.set()
        while True:
            try:
                anyio.from_thread.check_cancelled()
            except BaseException:
                told.set()
                raise

    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:
            group.start_soon(call, work)
            while not entered.is_set():
                await anyio.lowlevel.checkpoint()
            scope.cancel()
    assert told.wait(10)
