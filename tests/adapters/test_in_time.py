"""Work that has to end in time, on both event loops."""

from __future__ import annotations

import asyncio
from time import monotonic

import anyio
import pytest

from finalturn._adapters import in_time as module
from finalturn._adapters.in_time import OutOfTime, in_time, on_trio, seconds_left

pytestmark = pytest.mark.anyio
SHORT = 0.01
LONG = 1000.0


async def answer() -> str:
    return "done"


async def for_ever() -> None:
    await anyio.sleep_forever()


async def test_it_is_known_which_loop_runs(anyio_backend_name: str) -> None:
    assert on_trio() is (anyio_backend_name == "trio")


def test_without_a_loop_none_is_trios() -> None:
    assert on_trio() is False


def test_what_is_left_is_never_less_than_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "monotonic", lambda: 10.0)
    assert (seconds_left(12.5), seconds_left(10.0), seconds_left(9.0)) == (2.5, 0.0, 0.0)


@pytest.mark.parametrize("seconds", [None, LONG])
async def test_what_is_done_in_time_gives_its_answer(seconds: float | None) -> None:
    assert await in_time(None if seconds is None else monotonic() + seconds, answer) == "done"


async def test_what_is_late_is_stopped() -> None:
    with pytest.raises(OutOfTime):
        await in_time(monotonic() + SHORT, for_ever)


async def test_after_the_time_nothing_is_begun() -> None:
    begun: list[int] = []

    async def work() -> None:
        begun.append(1)

    with pytest.raises(OutOfTime):
        await in_time(monotonic(), work)
    assert begun == []


@pytest.mark.parametrize("deadline", [None, LONG])
async def test_what_it_raises_in_time_is_raised(deadline: float | None) -> None:
    async def work() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own"):
        await in_time(None if deadline is None else monotonic() + deadline, work)


async def test_what_it_makes_of_being_stopped_does_not_count() -> None:
    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise ValueError("cannot close")

    with pytest.raises(OutOfTime):
        await in_time(monotonic() + SHORT, work)


async def test_an_answer_that_comes_all_the_same_counts() -> None:
    async def work() -> str:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            pass
        return "late"

    assert await in_time(monotonic() + SHORT, work) == "late"


async def test_a_cancellation_from_outside_is_one() -> None:
    with anyio.move_on_after(SHORT) as scope:
        await in_time(monotonic() + LONG, for_ever)
    assert scope.cancelled_caught


async def test_nothing_of_it_is_left_behind() -> None:
    with pytest.raises(OutOfTime):
        await in_time(monotonic() + SHORT, for_ever)
    await anyio.lowlevel.checkpoint()
    assert anyio.current_effective_deadline() == float("inf")


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_work_may_hold_a_scope_open_across_two_pieces() -> None:
    scope = anyio.CancelScope()

    async def enter() -> None:
        scope.__enter__()

    async def leave() -> None:
        await asyncio.sleep(0)
        scope.__exit__(None, None, None)

    await in_time(monotonic() + LONG, enter)
    await in_time(monotonic() + LONG, leave)
