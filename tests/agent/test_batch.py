"""Batches: what they give, in which order, and what is left of one that is stopped."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from finalturn import (
    Agent,
    Batch,
    BatchItem,
    ModelRequest,
    ModelResponse,
    StreamClosedError,
    StreamError,
    SyncBatch,
    Usage,
)
from finalturn._agent.portal import Portal, portal
from finalturn.providers import Scripted
from tests.agent._batches import Model, echo

pytestmark = pytest.mark.anyio


def texts(items: list[BatchItem[Any]]) -> list[str]:
    return [item.unwrap().text for item in items]


class TestBatches:
    async def test_give_each_input_in_order(self) -> None:
        async with Agent(echo()).amap(["a", "b", "c"]) as batch:
            assert isinstance(batch, Batch)
            items = [item async for item in batch]
        assert texts(items) == ["you said a", "you said b", "you said c"]
        assert [item.index for item in items] == [0, 1, 2]
        assert (batch.done, batch.failed, batch.unread) == (3, 0, ())
        assert [item async for item in batch] == []

    async def test_of_nothing_end_at_once(self) -> None:
        async with Agent(echo()).amap([]) as batch:
            assert [item async for item in batch] == []
        assert (batch.done, batch.failed, batch.usage) == (0, 0, Usage())

    async def test_take_an_asynchronous_iterable(self) -> None:
        closed: list[bool] = []

        async def inputs() -> AsyncIterator[str]:
            try:
                for text in "abc":
                    await checkpoint()
                    yield text
            finally:
                closed.append(True)

        async with Agent(echo()).amap(inputs()) as batch:
            assert texts([item async for item in batch]) == ["you said a", "you said b", "you said c"]
        async with Agent(echo()).amap(inputs(), at_a_time=1) as batch:
            async for _ in batch:
                break
        assert closed == [True, True]

    async def test_take_an_asynchronous_iterator_that_is_no_generator(self) -> None:
        class Two:
            left = 2

            def __aiter__(self) -> Two:
                return self

            async def __anext__(self) -> str:
                if not self.left:
                    raise StopAsyncIteration
                self.left -= 1
                return str(self.left)

        async with Agent(echo()).amap(Two()) as batch:
            assert texts([item async for item in batch]) == ["you said 1", "you said 0"]

    async def test_take_inputs_only_as_there_is_room(self) -> None:
        taken: list[int] = []

        def inputs() -> Iterator[str]:
            for number in range(1_000_000):
                taken.append(number)
                yield str(number)

        async with Agent(echo()).amap(inputs(), at_a_time=2) as batch:
            async for _ in batch:
                break
            await anyio.wait_all_tasks_blocked()
            # Two may be under way, and four times as many wait to be read.
            assert len(taken) <= 1 + 2 + 8
        assert len(batch.unread) <= 2 + 8

    async def test_give_items_before_the_inputs_fail(self) -> None:
        def inputs() -> Iterator[str]:
            yield "a"
            raise OSError("the disk is gone")

        async def awaited() -> AsyncIterator[str]:
            for text in inputs():
                yield text

        for given_inputs in (inputs(), awaited()):
            async with Agent(echo()).amap(given_inputs) as batch:
                assert texts([await anext(batch)]) == ["you said a"]
                with pytest.raises(OSError, match="the disk is gone"):
                    await anext(batch)

    async def test_run_inside_their_block_only(self) -> None:
        batch = Agent(echo()).amap(["a"])
        with pytest.raises(StreamError, match=r"async with agent\.amap"):
            await anext(batch)
        async with batch:
            pass
        with pytest.raises(StreamError, match="entered once"):
            await batch.__aenter__()
        with pytest.raises(StreamClosedError, match="unread"):
            await anext(batch)

    async def test_leave_the_blocks_own_exception_alone(self) -> None:
        batch = Agent(echo()).amap(["a"])

        async def fail() -> None:
            async with batch:
                await anext(batch)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail()
        assert batch.done == 1

    async def test_stop_what_is_under_way_when_closed(self) -> None:
        model = Model([[("ok", 0)], [("ok", 10_000)]])
        async with Agent(model).amap(["0", "1"]) as batch:
            await anext(batch)
            await batch.aclose()
            await batch.aclose()
            assert model.under_way == 0
            with pytest.raises(StreamClosedError):
                await anext(batch)
        assert (batch.done, batch.failed) == (1, 0)
        assert batch.usage == Usage(input_tokens=1, total_tokens=1, unreported_calls=1)

    async def test_may_be_closed_before_they_run(self) -> None:
        batch = Agent(echo()).amap(["a"])
        await batch.aclose()
        async with batch:
            with pytest.raises(StreamClosedError):
                await anext(batch)

    async def test_know_what_is_under_way(self) -> None:
        model = Scripted(["a", Usage(input_tokens=5), Scripted.pause(3600)])
        async with Agent(model).amap(["0"]) as batch:
            await anyio.wait_all_tasks_blocked()
            assert (batch.done, batch.usage) == (0, Usage())
        assert batch.usage.unreported_calls + batch.usage.input_tokens > 0

    async def test_cannot_be_copied(self) -> None:
        with pytest.raises(TypeError, match="under way"):
            pickle.dumps(Agent(echo()).amap(["a"]))

    async def test_hold_to_an_override(self) -> None:
        agent = Agent(Scripted("real"))
        with agent.override(provider=Scripted("fake")):
            async with agent.amap(["a"]) as batch:
                assert texts([item async for item in batch]) == ["fake"]

    async def test_end_with_what_ends_the_program(self) -> None:
        class Leaves:
            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                raise Leaving

        async def run() -> None:
            async with Agent(Leaves()).amap(["a"]) as batch:
                await anext(batch)

        with pytest.raises(BaseExceptionGroup) as caught:
            await run()
        assert caught.group_contains(Leaving)

    @pytest.mark.parametrize("anyio_backend", ["asyncio"])
    @pytest.mark.parametrize("ordered", [True, False])
    async def test_end_with_a_turn_that_cancels_itself(self, ordered: bool) -> None:
        class Cancels:
            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                raise asyncio.CancelledError

        async with Agent(Cancels()).amap(["a"], ordered=ordered) as batch:
            with pytest.raises(StreamClosedError):
                await anext(batch)
        assert (batch.done, batch.failed, batch.unread) == (0, 0, ())


class Leaving(BaseException):
    """Not an error of a turn."""


def steps_until(condition: Callable[[], bool]) -> None:
    """Let the loop of synchronous turns take steps until it holds."""
    for _ in range(10_000):
        if condition():
            return
        portal().call(checkpoint(), copy_context())
    raise AssertionError("it did not come to hold")


class TestSynchronousBatches:
    def test_give_each_input_in_order(self) -> None:
        threads: set[int] = set()

        def inputs() -> Iterator[str]:
            for text in "abc":
                threads.add(threading.get_ident())
                yield text

        with Agent(echo()).map(inputs()) as batch:
            assert isinstance(batch, SyncBatch)
            assert texts(list(batch)) == ["you said a", "you said b", "you said c"]
        assert threads == {threading.get_ident()}
        assert (batch.done, batch.failed, batch.unread) == (3, 0, ())
        assert batch.usage == Usage(unreported_calls=3)
        assert list(batch) == []
        batch.close()

    def test_give_items_as_they_come(self) -> None:
        class Turned:
            """The first is answered after the second."""

            def __init__(self) -> None:
                self.second = anyio.Event()

            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                if request.messages[-1].content == "0":
                    await self.second.wait()
                else:
                    self.second.set()
                return ModelResponse(content="done")

        for ordered, expected in ((False, [1, 0]), (True, [0, 1])):
            with Agent(Turned()).map(["0", "1"], ordered=ordered) as batch:
                items = list(batch)
            assert [item.index for item in items] == expected
            assert texts(items) == ["done", "done"]

    def test_end_with_what_ends_the_program(self) -> None:
        class Leaves:
            async def complete(self, request: ModelRequest, /) -> ModelResponse:
                raise Leaving

        def run() -> None:
            with Agent(Leaves()).map(["a"]) as batch, suppress(StreamClosedError):
                next(batch)

        with pytest.raises(BaseExceptionGroup) as caught:
            run()
        assert caught.group_contains(Leaving)

    def test_give_items_before_the_inputs_fail(self) -> None:
        def inputs() -> Iterator[str]:
            yield "a"
            raise OSError("the disk is gone")

        with Agent(echo()).map(inputs()) as batch:
            assert texts([next(batch)]) == ["you said a"]
            with pytest.raises(OSError, match="the disk is gone"):
                next(batch)

    def test_keep_what_was_done_when_left(self) -> None:
        model = Model([[("ok", 0)], [("ok", 0)], [("ok", 10**6)]])
        with Agent(model).map(["0", "1", "2"]) as batch:
            next(batch)
            steps_until(lambda: batch.done == 2)
            assert [item.index for item in batch.unread] == [1]
        assert [item.index for item in batch.unread] == [1]
        assert (batch.done, batch.failed, model.under_way) == (2, 0, 0)
        with pytest.raises(StreamClosedError):
            next(batch)

    def test_run_inside_their_block_only(self) -> None:
        batch = Agent(echo()).map(["a"])
        batch.close()
        with pytest.raises(StreamError, match=r"with agent\.map"):
            next(batch)
        batch = Agent(echo()).map(["a"])
        with batch, pytest.raises(StreamError, match="entered once"):
            batch.__enter__()

    def test_are_closed_by_an_interrupt(self) -> None:
        def inputs() -> Iterator[str]:
            yield "0"
            raise KeyboardInterrupt

        model = Model([[("ok", 10**6)]])
        with Agent(model).map(inputs()) as batch:
            with pytest.raises(KeyboardInterrupt):
                next(batch)
            assert model.under_way == 0

    def test_tell_their_reader_that_another_thread_has_closed_them(self) -> None:
        model = Model([[("ok", 10**9)]])
        with Agent(model).map(["0"]) as batch, ThreadPoolExecutor() as pool:
            reading = pool.submit(next, batch)
            steps_until(lambda: model.under_way == 1)
            batch.close()
            with pytest.raises(StreamClosedError):
                reading.result()

    def test_end_with_the_loop(self, monkeypatch: pytest.MonkeyPatch) -> None:
        other = Portal()
        monkeypatch.setattr("finalturn._agent.portal._portal", other)
        model = Model([[("ok", 0)], [("ok", 10**6)]])
        with Agent(model).map(["0", "1"]) as batch:
            next(batch)
            other.stop()
            assert model.under_way == 0
        assert batch.done == 1

    def test_cannot_be_copied(self) -> None:
        with pytest.raises(TypeError, match="under way"):
            pickle.dumps(Agent(echo()).map(["a"]))

    def test_hold_to_an_override(self) -> None:
        agent = Agent(Scripted("real"))
        with agent.override(provider=Scripted("fake")), agent.map(["a"]) as batch:
            assert texts(list(batch)) == ["fake"]
