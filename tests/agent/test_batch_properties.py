"""What holds of every batch: whatever its inputs, its failures, its pace, and wherever it is stopped."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from finalturn import Agent, Batch, BatchItem, BatchRetries, StreamClosedError, Usage
from tests.agent._batches import Ended, Model, Try, Waits

LOOPS = ("asyncio", "trio")
WAYS = ["cancel", "task", "break", "close"]
TRIES = st.tuples(st.sampled_from(["ok", "ok", "busy", "broken"]), st.integers(0, 5))


def expected_tries(plan: list[Try], retries: int) -> int:
    """How often an input of this plan is tried."""
    for number, (outcome, _) in enumerate(plan, 1):
        if outcome != "busy" or number > retries:
            return number
    raise AssertionError("a plan is longer than there are retries")


@st.composite
def batches(draw: st.DrawFn) -> dict[str, Any]:
    """A batch, and how its model calls go."""
    retries = draw(st.integers(0, 2))
    return {
        "plans": draw(st.lists(st.lists(TRIES, min_size=retries + 1, max_size=retries + 1), max_size=12)),
        "retries": retries,
        "at_a_time": draw(st.integers(1, 5)),
        "ordered": draw(st.booleans()),
        "pace": draw(st.integers(0, 4)),
    }


def made(model: Model, drawn: dict[str, Any], *observers: Ended) -> Batch[None]:
    agent = Agent(model, observers=observers)
    return agent.amap(
        (str(place) for place in range(len(drawn["plans"]))),
        at_a_time=drawn["at_a_time"],
        ordered=drawn["ordered"],
        retries=BatchRetries(count=drawn["retries"], sleep=Waits().sleep),
    )


def check_items(items: list[BatchItem[None]], drawn: dict[str, Any]) -> None:
    """What came of each input is what its plan says."""
    for item in items:
        plan = drawn["plans"][item.index]
        tries = expected_tries(plan, drawn["retries"])
        assert item.input == str(item.index)
        assert item.attempts == tries
        assert item.usage.input_tokens == tries * (1 + item.index)
        if plan[tries - 1][0] == "ok":
            assert item.error is None
            assert item.unwrap().text == f"answer {item.index}"
        else:
            assert item.result is None
            assert str(item.error) == plan[tries - 1][0]


@pytest.mark.parametrize("loop", LOOPS)
class TestEveryBatch:
    @given(drawn=batches())
    def test_gives_each_input_once_and_as_promised(self, loop: str, drawn: dict[str, Any]) -> None:
        async def read() -> tuple[list[BatchItem[None]], Batch[None]]:
            items: list[BatchItem[None]] = []
            async with made(model, drawn) as batch:
                async for item in batch:
                    items.append(item)
                    for _ in range(drawn["pace"]):
                        await checkpoint()
            return items, batch

        model = Model(drawn["plans"])
        items, batch = anyio.run(read, backend=loop)
        indexes = [item.index for item in items]
        assert sorted(indexes) == list(range(len(drawn["plans"])))
        if drawn["ordered"]:
            assert indexes == sorted(indexes)
        check_items(items, drawn)
        assert model.most <= drawn["at_a_time"]
        assert batch.usage == sum((item.usage for item in items), Usage()) == model.spent
        assert batch.done == sum(item.error is None for item in items)
        assert batch.failed == len(items) - batch.done
        assert batch.unread == ()

    @given(drawn=batches(), steps=st.integers(0, 60), how=st.sampled_from(WAYS))
    def test_keeps_what_was_done_wherever_it_is_stopped(
        self, loop: str, drawn: dict[str, Any], steps: int, how: str
    ) -> None:
        async def read() -> None:
            async with anyio.create_task_group() as tasks, AsyncExitStack() as stack:
                tasks.start_soon(stop, tasks, asyncio.current_task() if loop == "asyncio" else None)
                batch = await stack.enter_async_context(made(model, drawn, ended))
                batch_of.append(batch)
                with suppress(StreamClosedError):
                    async for item in batch:
                        items.append(item)
                        if how == "break" and len(items) > steps % 5:
                            break

        async def stop(tasks: anyio.abc.TaskGroup, reader: asyncio.Task[Any] | None) -> None:
            for _ in range(steps):
                await checkpoint()
            if how == "task" and reader is not None:
                reader.cancel()
            elif how in ("cancel", "task"):
                tasks.cancel_scope.cancel()
            elif how == "close" and batch_of:
                await batch_of[0].aclose()

        async def stopped() -> None:
            if loop == "asyncio":
                with suppress(asyncio.CancelledError):
                    await asyncio.create_task(read())
                assert asyncio.all_tasks() == {asyncio.current_task()}
            else:
                await read()

        model, ended = Model(drawn["plans"]), Ended()
        items: list[BatchItem[None]] = []
        batch_of: list[Batch[None]] = []
        anyio.run(stopped, backend=loop)
        assert model.under_way == 0
        for batch in batch_of:
            known = [*items, *batch.unread]
            assert len({item.index for item in known}) == len(known) == batch.done + batch.failed
            check_items(known, drawn)
            assert {item.input for item in known if item.error is None} == set(ended.inputs)
            assert batch.done == len(ended.inputs)
            spent = sum((item.usage for item in known), Usage())
            assert spent.input_tokens <= batch.usage.input_tokens <= model.spent.input_tokens


class TestEverySynchronousBatch:
    @given(drawn=batches(), count=st.integers(0, 12))
    def test_give_what_an_asynchronous_one_gives(self, drawn: dict[str, Any], count: int) -> None:
        model = Model(drawn["plans"])
        items: list[BatchItem[None]] = []
        with Agent(model).map(
            (str(place) for place in range(len(drawn["plans"]))),
            at_a_time=drawn["at_a_time"],
            ordered=drawn["ordered"],
            retries=BatchRetries(count=drawn["retries"], sleep=Waits().sleep),
        ) as batch:
            for item in batch:
                items.append(item)
                if len(items) > count:
                    break
        check_items([*items, *batch.unread], drawn)
        assert model.most <= drawn["at_a_time"]
        assert model.under_way == 0
        assert len(items) + len(batch.unread) == batch.done + batch.failed
        if drawn["ordered"]:
            assert [item.index for item in items] == list(range(len(items)))
