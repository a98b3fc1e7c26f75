"""Code of users that may be synchronous: in threads, and awaited."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Generator, Iterator
from contextvars import ContextVar
from typing import Any

import anyio
import pytest
from anyio import to_thread

from finalturn._adapters.threaded import ThreadedEvents, in_thread, settle

pytestmark = pytest.mark.anyio

user: ContextVar[str] = ContextVar("user", default="nobody")


async def test_a_function_runs_in_a_thread_with_the_callers_context() -> None:
    user.set("u1")
    here = threading.get_ident()
    name, thread = await in_thread(lambda: (user.get(), threading.get_ident()))
    assert name == "u1"
    assert thread != here


async def test_what_it_raises_is_raised() -> None:
    def fail() -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await in_thread(fail)


async def test_calls_that_were_left_do_not_keep_others_waiting() -> None:
    """More of them than an ordinary pool of threads has places."""
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def hang() -> None:
        begun.release()
        go_on.wait(30)

    try:
        async with anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(in_thread, hang)
            for _ in range(50):
                await to_thread.run_sync(begun.acquire)
            group.cancel_scope.cancel()
        assert await in_thread(lambda: "free") == "free"
    finally:
        go_on.set()


class TestEvents:
    async def test_come_in_order_each_from_a_thread(self) -> None:
        threads: list[int] = []

        def give() -> Iterator[str | None]:
            for item in ("a", None, "b"):
                threads.append(threading.get_ident())
                yield item

        events = ThreadedEvents(give())
        assert [item async for item in events] == ["a", None, "b"]
        assert threading.get_ident() not in threads
        await events.aclose()

    async def test_of_one_iterator_share_a_context(self) -> None:
        """A generator may set a variable before a yield and reset it after."""

        def give() -> Iterator[str]:
            before = user.get()
            token = user.set("generator")
            try:
                yield before
                yield user.get()
            finally:
                user.reset(token)

        user.set("u1")
        events = ThreadedEvents(give())
        assert await anext(events) == "u1"
        user.set("u2")
        assert await anext(events) == "generator"
        await events.aclose()
        assert user.get() == "u2"

    async def test_an_iterator_need_not_be_closable(self) -> None:
        events = ThreadedEvents(iter(["a"]))
        assert await anext(events) == "a"
        await events.aclose()

    async def test_closing_frees_what_the_iterator_holds(self) -> None:
        freed: list[int] = []

        def give() -> Iterator[str]:
            try:
                yield "a"
            finally:
                freed.append(threading.get_ident())

        events = ThreadedEvents(give())
        await anext(events)
        await events.aclose()
        await events.aclose()
        assert len(freed) == 1
        assert freed != [threading.get_ident()]
        assert [item async for item in events] == []

    async def test_one_that_is_closed_before_its_first_item_gives_none(self) -> None:
        events = ThreadedEvents(iter(["a"]))
        await events.aclose()
        assert [item async for item in events] == []

    async def test_an_iterator_that_was_left_is_closed_when_its_thread_comes_back(self) -> None:
        begun, go_on, freed = threading.Event(), threading.Event(), threading.Event()

        def give() -> Iterator[str]:
            try:
                begun.set()
                go_on.wait(30)
                yield "late"
            finally:
                freed.set()

        events = ThreadedEvents(give())
        async with anyio.create_task_group() as group:
            group.start_soon(anext, events)
            await to_thread.run_sync(begun.wait)
            group.cancel_scope.cancel()
        await events.aclose()
        assert not freed.is_set()
        go_on.set()
        assert await to_thread.run_sync(freed.wait, 30)

    async def test_one_without_close_may_be_left_too(self) -> None:
        begun, go_on, back = threading.Event(), threading.Event(), threading.Event()

        class Bare:
            def __iter__(self) -> Bare:
                return self

            def __next__(self) -> str:
                begun.set()
                go_on.wait(30)
                back.set()
                return "late"

        events = ThreadedEvents(Bare())
        async with anyio.create_task_group() as group:
            group.start_soon(anext, events)
            await to_thread.run_sync(begun.wait)
            group.cancel_scope.cancel()
        await events.aclose()
        go_on.set()
        assert await to_thread.run_sync(back.wait, 30)

    async def test_one_that_is_not_closed_frees_itself_when_it_is_collected(self) -> None:
        freed = threading.Event()

        def give() -> Iterator[str]:
            try:
                yield "a"
            finally:
                freed.set()

        events: Any = ThreadedEvents(give())
        assert await anext(events) == "a"
        del events
        # The thread lets go of the iterator a moment after the item is here.
        assert await to_thread.run_sync(freed.wait, 30)

    async def test_what_the_iterator_raises_is_raised(self) -> None:
        def give() -> Iterator[str]:
            yield "a"
            raise ConnectionError("gone")

        events = ThreadedEvents(give())
        await anext(events)
        with pytest.raises(ConnectionError, match="gone"):
            await anext(events)


class Later:
    """An awaitable that is no coroutine."""

    def __await__(self) -> Generator[Any, None, str]:
        yield from ()
        return "later"


async def give() -> str:
    return "given"


def either(later: Awaitable[str]) -> str | Awaitable[str]:
    return later


@pytest.mark.parametrize("value", [None, 0, "", "text", {"a": 1}, give])
async def test_a_value_is_itself(value: object) -> None:
    assert await settle(value) is value


async def test_an_awaitable_is_awaited() -> None:
    assert await settle(either(give())) == "given"
    assert await settle(either(Later())) == "later"


async def test_what_awaiting_a_value_raises_is_raised() -> None:
    error = ValueError("mine")

    async def fail() -> str:
        raise error

    with pytest.raises(ValueError, match="mine") as caught:
        await settle(either(fail()))
    assert caught.value is error
