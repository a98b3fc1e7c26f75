"""Nothing but an outcome comes out of a user's code."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from finalturn._adapters import in_time
from finalturn._tools.contain import Job, Raised, TimedOut, contain

pytestmark = pytest.mark.anyio
Work = Callable[[], Awaitable[object]]
SHORT = 0.01
NOW = 1000.0


def raising(error: BaseException) -> Work:
    async def work() -> None:
        raise error

    return work


def giving(value: object) -> Work:
    async def work() -> object:
        return value

    return work


async def one(work: Work, timeout: float | None = None) -> object:
    return (await contain([Job[object](work, timeout)]))[0]


async def test_values_come_in_order() -> None:
    assert await contain([]) == []
    assert await contain([Job(giving(n)) for n in range(40)], limit=7) == list(range(40))


@pytest.mark.parametrize(
    "error",
    [
        ValueError("x"),
        SystemExit(1),
        GeneratorExit(),
        asyncio.CancelledError("mine"),
        TimeoutError(),
        ExceptionGroup("g", [ValueError()]),
        BaseExceptionGroup("g", [SystemExit()]),
    ],
)
async def test_what_it_raises_is_an_outcome(error: BaseException) -> None:
    first, second = await contain([Job(raising(error)), Job(giving(1))], limit=2)
    assert isinstance(first, Raised)
    assert first.error is error
    assert second == 1


async def test_a_stop_iteration_is_an_outcome() -> None:
    found = await one(raising(StopIteration(1)))
    assert isinstance(found, Raised)
    assert isinstance(found.error, RuntimeError)


async def test_a_raised_that_is_returned_stays_one() -> None:
    found = Raised(ValueError())
    assert await one(giving(found)) is found


async def test_at_most_so_many_at_a_time() -> None:
    running, most = 0, 0
    full = anyio.Event()

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == 3:
            full.set()
        await full.wait()
        await anyio.lowlevel.checkpoint()
        running -= 1

    await contain([Job(work)] * 9, limit=3)
    assert most == 3


async def test_they_are_started_in_order() -> None:
    started: list[int] = []

    def work(number: int) -> Work:
        async def run() -> None:
            started.append(number)
            await anyio.lowlevel.checkpoint()

        return run

    await contain([Job(work(n)) for n in range(6)])
    assert started == [0, 1, 2, 3, 4, 5]


async def test_over_time() -> None:
    assert await one(anyio.sleep_forever, SHORT) == TimedOut()


async def test_time_counts_from_the_start_of_a_piece() -> None:
    waits = [Job[object](anyio.sleep_forever, SHORT), Job[object](giving("in time"), SHORT)]
    assert await contain(waits) == [TimedOut(), "in time"]


@pytest.mark.parametrize("then", ["return", "raise", "group"])
async def test_resisting_the_time_limit_does_not_help(then: str) -> None:
    async def work() -> object:
        try:
            await anyio.sleep_forever()
        except BaseException as error:
            if then == "raise":
                raise RuntimeError("cleanup") from None
            if then == "group":
                raise BaseExceptionGroup("g", [error, ValueError()]) from None
        return "late"

    assert await one(work, SHORT) == TimedOut()


async def test_its_own_time_limits_are_its_own() -> None:
    async def work() -> str:
        with anyio.move_on_after(SHORT):
            await anyio.sleep_forever()
        with pytest.raises(TimeoutError):
            with anyio.fail_after(SHORT):
                await anyio.sleep_forever()
        return "done"

    assert await one(work) == "done"


@pytest.mark.parametrize("swallow", [False, True])
async def test_a_cancelled_scope_cancels_the_pieces_and_goes_on(swallow: bool) -> None:
    seen: list[str] = []
    started = anyio.Event()

    async def work() -> str:
        started.set()
        try:
            await anyio.sleep_forever()
        except BaseException:
            seen.append("cancelled")
            if not swallow:
                raise
        return "kept"

    async def cancel() -> None:
        await started.wait()
        scope.cancel()

    scope = anyio.CancelScope()
    async with anyio.create_task_group() as group:
        group.start_soon(cancel)
        with scope:
            await contain([Job(work)])
            seen.append("went on")
    assert seen == ["cancelled"]
    assert scope.cancelled_caught


@pytest.mark.parametrize("limit", [1, 3])
async def test_nothing_starts_after_a_cancellation(limit: int) -> None:
    started: list[int] = []

    async def work() -> None:
        started.append(1)
        scope.cancel()
        await anyio.sleep_forever()

    with anyio.CancelScope() as scope:
        await contain([Job(work)] * 5, limit=limit)
    assert started == [1]


async def test_an_interrupt_is_raised_itself_and_stops_the_others() -> None:
    others: list[str] = []
    started = anyio.Event()

    async def other() -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            others.append("stopped")

    async def work() -> None:
        await started.wait()
        raise KeyboardInterrupt("mine")

    with pytest.raises(KeyboardInterrupt, match="mine"):
        await contain([Job(other), Job(work), Job(other)], limit=2)
    assert others == ["stopped"]


async def test_an_interrupt_wins_over_a_cancellation() -> None:
    async def work() -> None:
        scope.cancel()
        try:
            await anyio.sleep_forever()
        finally:
            raise KeyboardInterrupt("mine")

    scope = anyio.CancelScope()
    with pytest.raises(KeyboardInterrupt, match="mine"), scope:
        await contain([Job(work)])


@pytest.mark.parametrize(
    "outcome",
    [
        BaseExceptionGroup("g", [ValueError(), BaseExceptionGroup("h", [KeyboardInterrupt()])]),
        Raised(KeyboardInterrupt()),
    ],
)
async def test_an_interrupt_is_found_wherever_it_hides(outcome: Any) -> None:
    work = giving(outcome) if isinstance(outcome, Raised) else raising(outcome)
    with pytest.raises(KeyboardInterrupt):
        await one(work)


async def test_an_interrupt_of_the_group_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    async def acquire(self: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(type(anyio.Semaphore(1)), "acquire", acquire)
    with pytest.raises(KeyboardInterrupt):
        await one(giving(1))


async def test_context_variables_go_in_and_do_not_come_out() -> None:
    variable: ContextVar[str] = ContextVar("variable")
    variable.set("outside")

    async def work() -> str:
        found = variable.get()
        variable.set("inside")
        return found

    assert await contain([Job(work)] * 3) == ["outside"] * 3
    assert variable.get() == "outside"


class TestADeadlineOfAll:
    @pytest.fixture(autouse=True)
    def _clock(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # No time passes but that in which something is waited for.
        monkeypatch.setattr(in_time, "monotonic", lambda: NOW)

    async def test_what_is_under_way_then_is_stopped_and_what_is_done_stays(self) -> None:
        jobs = [Job[object](giving(1)), Job[object](anyio.sleep_forever)]
        ended = await contain(jobs, limit=2, deadline=NOW + SHORT)
        assert ended == [1, TimedOut(deadline=True)]

    async def test_a_stricter_time_of_a_piece_is_its_own(self) -> None:
        jobs = [Job[object](anyio.sleep_forever, SHORT)]
        assert await contain(jobs, deadline=NOW + 1000) == [TimedOut()]
        jobs = [Job[object](anyio.sleep_forever, 1000)]
        assert await contain(jobs, deadline=NOW + SHORT) == [TimedOut(deadline=True)]

    async def test_after_it_nothing_is_begun(self) -> None:
        begun: list[int] = []

        async def work() -> None:
            begun.append(1)

        told: list[object] = []
        late = TimedOut(deadline=True, started=False)
        jobs = [Job[object](work)] * 2
        ended = await contain(jobs, deadline=NOW, on_end=lambda _, outcome: told.append(outcome))
        assert (ended, told, begun) == ([late, late], [late, late], [])
