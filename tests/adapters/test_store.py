"""Calling a store's methods."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import anyio
import pytest

from finalturn._adapters.store import call_store, immediate, is_immediate
from finalturn.sessions import InMemorySessions

pytestmark = pytest.mark.anyio


class Store:
    """Methods of each kind, each of which tells in which thread it runs."""

    @immediate
    def at_once(self) -> int:
        return threading.get_ident()

    def plain(self) -> int:
        return threading.get_ident()

    async def own(self) -> int:
        return threading.get_ident()

    def given(self) -> Awaitable[int]:
        return self.own()


async def test_only_a_plain_method_leaves_the_event_loop() -> None:
    here, store = threading.get_ident(), Store()
    answers: list[int] = []
    for method in (store.at_once, store.own, store.given, store.plain):
        called: Callable[[], int | Awaitable[int]] = method
        answers.append(await call_store(called))
    assert [answer == here for answer in answers] == [True, True, True, False]


async def test_the_store_in_memory_never_waits_unless_it_is_changed() -> None:
    class Slow(InMemorySessions):
        def delete(self, session: str, /) -> bool:
            return super().delete(session)

    store = Slow()
    assert is_immediate(store.load) and is_immediate(store.append) and is_immediate(store.list_sessions)
    assert is_immediate(InMemorySessions().delete) and not is_immediate(store.delete)


async def test_an_error_is_the_methods_own() -> None:
    error = OSError("gone")

    def fail() -> None:
        raise error

    with pytest.raises(OSError, match="gone") as caught:
        await call_store(fail)
    assert caught.value is error


class Counting:
    """A store that is not made for threads: what it reads is out of date if another call comes between."""

    def __init__(self) -> None:
        self.under_way = 0
        self.most = 0

    def add(self) -> None:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        threading.Event().wait(0.001)
        self.under_way -= 1


async def test_plain_methods_of_one_store_take_turns() -> None:
    store = Counting()
    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(call_store, store.add)
    assert (store.most, store.under_way) == (1, 0)


class Unhashable(Counting):
    """Equal to others, and so without a hash."""

    __slots__ = ("most", "under_way")

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


async def test_calls_of_a_store_without_a_hash_wait_for_each_other() -> None:
    store = Unhashable()
    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(call_store, store.add)
    assert store.most == 1


async def test_other_stores_do_not_wait() -> None:
    go_on = threading.Event()

    class Stuck:
        def call(self) -> bool:
            return go_on.wait(60)

    class Free:
        def call(self) -> str:
            return "free"

    async with anyio.create_task_group() as group:
        group.start_soon(call_store, Stuck().call)
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(30):
            assert await call_store(Free().call) == "free"
        go_on.set()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_call_that_was_left_before_its_turn_is_never_begun() -> None:
    go_on, begun = threading.Event(), list[str]()

    class Stuck:
        def first(self) -> None:
            begun.append("first")
            go_on.wait(60)

        def second(self) -> None:
            begun.append("second")

        def third(self) -> None:
            begun.append("third")

    store = Stuck()
    first = asyncio.ensure_future(call_store(store.first))
    while not begun:
        await asyncio.sleep(0.001)
    second = asyncio.ensure_future(call_store(store.second))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second
    go_on.set()
    await first
    await call_store(store.third)
    assert begun == ["first", "third"]
