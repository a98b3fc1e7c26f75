"""Steps that another task can interrupt."""

from __future__ import annotations

import asyncio
import gc
import weakref

import anyio
import pytest
from anyio.lowlevel import checkpoint

from finalturn._agent.step import AsyncioStepper, Interrupted, Stepper, TrioStepper, Unstoppable, stepper

pytestmark = pytest.mark.anyio


class Step:
    """A step that waits, and says how it ended."""

    def __init__(self) -> None:
        self.begun, self.go_on = anyio.Event(), anyio.Event()
        self.ended = ""

    async def __call__(self) -> str:
        self.begun.set()
        try:
            await self.go_on.wait()
        except anyio.get_cancelled_exc_class():
            self.ended = "cancelled"
            raise
        self.ended = "done"
        return "item"


async def run(one: Stepper, step: Step, outcomes: list[object]) -> None:
    try:
        outcomes.append(await one.run(step))
    except Interrupted as error:
        outcomes.append(error)


async def test_there_is_one_for_each_loop(anyio_backend: str) -> None:
    assert type(stepper()) is (TrioStepper if anyio_backend == "trio" else AsyncioStepper)


async def test_a_step_gives_what_it_gives() -> None:
    one, step = stepper(), Step()
    step.go_on.set()
    assert await one.run(step) == "item"
    assert not one.busy
    assert await one.run(step) == "item"


async def test_a_step_raises_what_it_raises() -> None:
    one = stepper()

    async def fail() -> None:
        assert one.busy
        raise LookupError("mine")

    for _ in range(2):
        with pytest.raises(LookupError, match="mine"):
            await one.run(fail)
        assert not one.busy


async def test_a_second_step_is_refused_and_the_first_goes_on() -> None:
    one, step, outcomes = stepper(), Step(), list[object]()
    async with anyio.create_task_group() as group:
        group.start_soon(run, one, step, outcomes)
        await step.begun.wait()
        with pytest.raises(RuntimeError, match="already being read by another task"):
            await one.run(Step())
        assert one.busy
        step.go_on.set()
    assert outcomes == ["item"]


async def test_without_a_step_there_is_nothing_to_interrupt() -> None:
    one, step = stepper(), Step()
    await one.interrupt()
    step.go_on.set()
    assert await one.run(step) == "item"
    await one.interrupt()


async def test_an_interrupted_step_has_ended_when_interrupt_returns() -> None:
    one, step, outcomes = stepper(), Step(), list[object]()
    async with anyio.create_task_group() as group:
        group.start_soon(run, one, step, outcomes)
        await step.begun.wait()
        await one.interrupt()
        assert step.ended == "cancelled"
        assert not one.busy
    assert [type(outcome) for outcome in outcomes] == [Interrupted]


async def test_any_number_may_interrupt_at_once() -> None:
    one, step, outcomes = stepper(), Step(), list[object]()
    async with anyio.create_task_group() as group:
        group.start_soon(run, one, step, outcomes)
        await step.begun.wait()
        async with anyio.create_task_group() as closers:
            for _ in range(3):
                closers.start_soon(one.interrupt)
    assert [type(outcome) for outcome in outcomes] == [Interrupted]


async def test_the_task_of_an_interrupted_step_lives_on() -> None:
    one, outcomes = stepper(), list[object]()
    steps = [Step(), Step()]
    again = anyio.Event()

    async def reader() -> None:
        await run(one, steps[0], outcomes)
        await checkpoint()
        again.set()
        await run(one, steps[1], outcomes)

    async with anyio.create_task_group() as group:
        group.start_soon(reader)
        await steps[0].begun.wait()
        await one.interrupt()
        await again.wait()
        steps[1].go_on.set()
    assert [type(outcome) for outcome in outcomes] == [Interrupted, str]


async def test_a_step_may_be_shielded_from_it() -> None:
    """Then it goes on to its end, what it gives counts, and its task is not cancelled later."""
    one, step, outcomes = stepper(), Step(), list[object]()

    async def resist() -> str:
        with anyio.CancelScope(shield=True):
            while not step.go_on.is_set():
                try:
                    await step()
                except asyncio.CancelledError:
                    # asyncio's own cancellation passes the shield.
                    continue
        return "item"

    async def reader() -> None:
        outcomes.append(await one.run(resist))
        await checkpoint()
        outcomes.append("went on")

    async with anyio.create_task_group() as group:
        group.start_soon(reader)
        await step.begun.wait()
        group.start_soon(one.interrupt)
        await anyio.wait_all_tasks_blocked()
        step.go_on.set()
    assert outcomes == ["item", "went on"]


async def test_whoever_interrupts_may_be_cancelled_and_the_step_ends() -> None:
    one, step, outcomes = stepper(), Step(), list[object]()
    stubborn = anyio.Event()

    async def slow() -> str:
        try:
            return await step()
        finally:
            with anyio.CancelScope(shield=True):
                await stubborn.wait()

    async def reader() -> None:
        with pytest.raises(Interrupted):
            await one.run(slow)
        outcomes.append("ended")

    async with anyio.create_task_group() as group:
        group.start_soon(reader)
        await step.begun.wait()
        async with anyio.create_task_group() as closers:
            closers.start_soon(one.interrupt)
            await anyio.wait_all_tasks_blocked()
            closers.cancel_scope.cancel()
        assert one.busy
        stubborn.set()
    assert outcomes == ["ended"]


async def test_a_step_cannot_interrupt_itself() -> None:
    one = stepper()

    async def inside() -> str:
        with pytest.raises(RuntimeError, match="from inside its own step"):
            await one.interrupt()
        return "item"

    assert await one.run(inside) == "item"


async def test_a_cancellation_of_the_reader_stays_one() -> None:
    one, step, outcomes = stepper(), Step(), list[object]()
    async with anyio.create_task_group() as group:
        group.start_soon(run, one, step, outcomes)
        await step.begun.wait()
        group.cancel_scope.cancel()
    assert (outcomes, step.ended, one.busy) == ([], "cancelled", False)


async def test_a_cancellation_of_the_reader_beats_an_interrupt() -> None:
    one, step, outcomes = stepper(), Step(), list[object]()
    async with anyio.create_task_group() as group, anyio.create_task_group() as readers:
        readers.start_soon(run, one, step, outcomes)
        await step.begun.wait()
        group.start_soon(one.interrupt)
        readers.cancel_scope.cancel()
    assert step.ended == "cancelled"
    assert not one.busy


async def test_a_timeout_around_a_step_is_a_timeout() -> None:
    one, step = stepper(), Step()
    with anyio.move_on_after(0) as scope:
        await one.run(step)
    assert scope.cancelled_caught
    assert not one.busy


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
class TestAsyncio:
    async def test_an_interrupt_leaves_no_trace_on_the_task(self) -> None:
        one, step, outcomes = stepper(), Step(), list[object]()
        task = asyncio.ensure_future(run(one, step, outcomes))
        await step.begun.wait()
        await one.interrupt()
        await task
        assert task.cancelling() == 0

    async def test_a_cancellation_of_the_task_at_the_same_time_stays_one(self) -> None:
        one, step, outcomes = stepper(), Step(), list[object]()
        task = asyncio.ensure_future(run(one, step, outcomes))
        await step.begun.wait()
        task.cancel()
        await one.interrupt()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (outcomes, task.cancelling()) == ([], 1)

    async def test_each_step_may_have_its_own_task(self) -> None:
        one = stepper()
        for _ in range(3):
            step = Step()
            step.go_on.set()
            assert await asyncio.wait_for(one.run(step), 30) == "item"

    async def test_what_is_left_is_closed_even_when_its_task_is_cancelled_before_it_begins(self) -> None:
        """As the end of the loop does to every task, and then waits for it."""
        closed: list[str] = []

        async def close() -> None:
            await asyncio.sleep(0)
            closed.append("closed")

        before = asyncio.all_tasks()
        stepper().leave(close)
        await asyncio.sleep(0)
        (closing,) = asyncio.all_tasks() - before
        closing.cancel()
        await asyncio.wait([closing])
        assert closed == ["closed"]
        assert not closing.cancelled()

    async def test_a_cancellation_after_it_began_reaches_it(self) -> None:
        begun = asyncio.Event()

        async def close() -> None:
            begun.set()
            await asyncio.Event().wait()

        before = asyncio.all_tasks()
        stepper().leave(close)
        await begun.wait()
        (closing,) = asyncio.all_tasks() - before
        closing.cancel()
        await asyncio.wait([closing])
        assert closing.cancelled()

    async def test_what_cannot_be_stopped_is_a_coroutine_like_others(self) -> None:
        async def work() -> str:
            await asyncio.sleep(0)
            return "done"

        assert await Unstoppable(work()) == "done"
        never = Unstoppable(work())
        never.close()

    async def test_what_is_left_does_not_live_longer_than_it_takes_to_close_it(self) -> None:
        closed = asyncio.Event()

        class Close:
            async def __call__(self) -> None:
                closed.set()

        close = Close()
        gone = weakref.ref(close)
        stepper().leave(close)
        del close
        await closed.wait()
        await asyncio.sleep(0)
        gc.collect()
        assert gone() is None


async def test_what_is_left_is_closed_in_the_loop() -> None:
    closed = anyio.Event()

    async def close() -> None:
        await checkpoint()
        closed.set()

    one = stepper()
    one.leave(close)
    await closed.wait()


def test_on_trio_what_is_left_at_the_very_end_lives_until_then() -> None:
    """Trio takes no tasks any more, and has not closed its generators yet."""
    refused: list[str] = []

    class Ending:
        def spawn_system_task(self, *given: object) -> None:
            refused.append("refused")
            raise RuntimeError("closed to new arrivals")

    class Close:
        async def __call__(self) -> None:
            raise AssertionError("trio closes it itself")

    async def main() -> weakref.ref[Close]:
        one, close = stepper(), Close()
        vars(one)["_trio"] = Ending()
        one.leave(close)
        gone = weakref.ref(close)
        del close
        while not refused:
            await checkpoint()
        assert gone() is not None
        return gone

    gone = anyio.run(main, backend="trio")
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_nothing_is_left_to_do_after_the_end_of_the_loop(backend: str) -> None:
    async def make() -> Stepper:
        return stepper()

    async def close() -> None:
        raise AssertionError("there is no loop to close it in")

    anyio.run(make, backend=backend).leave(close)


async def test_a_stepper_holds_nothing_of_a_step_that_has_ended() -> None:
    one, step = stepper(), Step()
    step.go_on.set()
    gc.collect()
    await one.run(step)
    gone = weakref.ref(step)
    del step
    assert gone() is None
