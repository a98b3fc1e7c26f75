from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked

from finalturn import Agent
from finalturn._serve.formats.items import Ended, RunFailed
from finalturn._serve.formats.native import Native
from finalturn._serve.problems.failure import SHUTTING_DOWN
from finalturn._serve.problems.problem import Problem
from finalturn._serve.runs.log import FramesGoneError
from finalturn._serve.runs.run import MOST_READERS, Run, Signal
from tests.serve._agents import SECRET, Held, plain
from tests.serve._asgi import records_of

pytestmark = pytest.mark.anyio


def begin(agent: Agent[Any], *, buffer: int = 10_000, replay: bool = True) -> Run:
    run = Run("r1", "ann", None, "native", Native(), buffer=buffer, replay=replay)
    run.start(agent.astream("Hello"))
    return run


async def read_all(run: Run, after: int = 0) -> list[dict[str, Any]]:
    ticket = run.join(after)
    found: list[dict[str, Any]] = []
    try:
        while True:
            frames, after = await run.read(ticket, after)
            if not frames:
                return found
            found += records_of(b"".join(frames))
    finally:
        run.leave(ticket)


def kinds(records: list[dict[str, Any]]) -> list[str]:
    return [record["type"] for record in records]


async def test_a_turn_becomes_records() -> None:
    run = begin(plain(["Hel", "lo"]))
    assert kinds(await read_all(run)) == ["run", "chunk", "chunk", "result"]
    assert run.ended and isinstance(run.outcome, Ended)
    assert run.outcome.result["run_id"] == "r1"


async def test_a_failure_is_one_record() -> None:
    run = begin(plain(["Hel", RuntimeError(SECRET)]))
    records = await read_all(run)
    assert kinds(records) == ["run", "chunk", "error"]
    assert records[-1]["code"] == "internal_error"
    assert isinstance(run.outcome, RunFailed)


async def test_a_turn_goes_on_without_a_reader_until_the_buffer_is_full() -> None:
    pieces = [str(number) * 50 for number in range(10)]
    taken: list[int] = []

    def watch(number: int) -> Any:
        return lambda: taken.append(number)

    script: list[Any] = [item for number, piece in enumerate(pieces) for item in (piece, watch(number))]
    run = begin(plain(script), buffer=300)
    await wait_all_tasks_blocked()
    assert 0 < len(taken) < 9
    records = await read_all(run)
    assert [record["content"] for record in records[1:-1]] == pieces
    assert len(taken) == 10


async def test_who_comes_back_misses_and_repeats_nothing() -> None:
    held = Held(" is", " over.")
    run = begin(plain(held.items))
    await held.started.wait()
    ticket = run.join()
    frames, after = await run.read(ticket, 0)
    run.leave(ticket)
    held.go_on.set()
    records = records_of(b"".join(frames)) + await read_all(run, after)
    assert [record.get("content") for record in records[1:-1]] == ["Wait", " is", " over."]


async def test_several_may_read_at_once_and_each_gets_all() -> None:
    held = Held()
    run = begin(plain(held.items))
    await held.started.wait()
    first, second = (asyncio.create_task(read_all(run)) for _ in range(2))
    await wait_all_tasks_blocked()
    later = asyncio.create_task(read_all(run, 1))
    await wait_all_tasks_blocked()
    held.go_on.set()
    assert kinds(await first) == kinds(await second) == ["run", "chunk", "chunk", "result"]
    assert kinds(await later) == ["chunk", "chunk", "result"]
    assert not run.is_read


async def test_the_slowest_reader_makes_the_turn_wait_and_loses_nothing() -> None:
    taken: list[int] = []

    def watch(number: int) -> Any:
        return lambda: taken.append(number)

    pieces = [str(number) * 50 for number in range(10)]
    run = begin(plain([item for n, piece in enumerate(pieces) for item in (piece, watch(n))]), buffer=300)
    slow = run.join()
    frames, after = await run.read(slow, 0)
    fast = asyncio.create_task(read_all(run))
    await wait_all_tasks_blocked()
    assert 0 < len(taken) < 9 and not fast.done()
    missed = records_of(b"".join(frames))
    while frames:
        frames, after = await run.read(slow, after)
        missed += records_of(b"".join(frames))
    assert [record["content"] for record in missed[1:-1]] == pieces
    assert missed == await fast


async def test_a_slow_reader_that_leaves_holds_nobody_up() -> None:
    run = begin(plain([str(number) * 50 for number in range(10)]), buffer=300)
    slow = run.join()
    await run.read(slow, 0)
    fast = asyncio.create_task(read_all(run))
    await wait_all_tasks_blocked()
    assert not fast.done()
    run.leave(slow)
    assert len(await fast) == 12


async def test_not_more_may_read_than_the_limit() -> None:
    held = Held()
    run = begin(plain(held.items))
    tickets = [run.join() for _ in range(MOST_READERS)]
    with pytest.raises(Problem) as caught:
        run.join()
    assert (caught.value.code, caught.value.retryable) == ("overloaded", True)
    run.leave(tickets.pop())
    tickets.append(run.join())
    held.go_on.set()
    await run.wait()


async def test_who_waits_until_nobody_reads() -> None:
    held = Held()
    run = begin(plain(held.items))
    await run.unread()
    ticket = run.join()
    waiting = asyncio.create_task(run.unread())
    await wait_all_tasks_blocked()
    assert run.is_read and not waiting.done()
    run.leave(ticket)
    await waiting
    run.join()
    held.go_on.set()
    await run.unread()
    assert run.ended


async def test_a_turn_that_is_being_saved_is_not_stopped() -> None:
    held = Held()
    run = begin(plain(held.items))
    await held.started.wait()
    run.is_saving = True
    stopping = asyncio.create_task(run.stop())
    await wait_all_tasks_blocked()
    assert not stopping.done() and not held.stopped.is_set()
    held.go_on.set()
    await stopping
    assert isinstance(run.outcome, Ended)


async def test_what_is_not_kept_is_gone() -> None:
    run = begin(plain(["a" * 100, "b" * 100, "c"]), buffer=150)
    assert len(await read_all(run)) == 5
    assert not run.can_follow(1)
    assert run.can_follow(5) and not run.can_follow(6)
    with pytest.raises(FramesGoneError):
        await read_all(run, 1)


async def test_stopping_stops_the_model_and_says_why() -> None:
    held = Held()
    run = begin(plain(held.items))
    await held.started.wait()
    await run.stop(SHUTTING_DOWN)
    assert held.stopped.is_set()
    records = await read_all(run)
    assert (records[-1]["type"], records[-1]["code"]) == ("error", "shutting_down")
    await run.stop()
    assert kinds(await read_all(run)) == ["run", "chunk", "error"]


async def test_a_run_that_has_ended_is_not_changed_by_stopping_it() -> None:
    run = begin(plain())
    await run.wait()
    await run.stop()
    assert isinstance(run.outcome, Ended)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, BaseException])
async def test_nothing_that_user_code_raises_gets_out_of_the_run(error: type[BaseException]) -> None:
    def fail() -> None:
        raise error(SECRET)

    run = begin(plain(["Hel", fail]))
    records = await read_all(run)
    assert kinds(records) == ["run", "chunk", "error"]
    assert records[-1]["code"] == "internal_error"
    assert SECRET not in str(records)


async def test_a_model_call_that_swallows_its_cancellation_is_the_last() -> None:
    started = asyncio.Event()

    async def swallow() -> None:
        started.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    later: list[str] = []
    run = begin(plain(["Wait", swallow, "more", lambda: later.append("more"), "still more"]))
    await started.wait()
    await run.stop()
    assert kinds(await read_all(run))[-1] == "error"
    assert later == []


async def test_a_second_stop_does_not_cut_off_how_the_model_call_is_closed() -> None:
    started, closing, closed = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            await closing.wait()
            closed.set()

    run = begin(plain(["Wait", wait]))
    await started.wait()
    stops = [asyncio.create_task(run.stop()) for _ in range(2)]
    await wait_all_tasks_blocked()
    closing.set()
    await asyncio.gather(*stops)
    assert closed.is_set()


async def test_what_is_told_at_the_end() -> None:
    ended: list[Run] = []
    run = Run("r1", None, None, "native", Native(), buffer=100, replay=False)
    run.on_end = ended.append
    run.start(plain().astream("Hello"))
    await read_all(run)
    assert ended == [run]


class Broken:
    """A projection that fails on the last item, whatever it is."""

    def records(self, item: object, /) -> list[dict[str, Any]]:
        if isinstance(item, Ended | RunFailed):
            raise RuntimeError(SECRET)
        return [{"type": "x"}]


async def test_readers_do_not_wait_for_ever_when_the_server_itself_is_wrong() -> None:
    run = Run("r1", None, None, "native", Broken(), buffer=1000, replay=True)
    run.start(plain().astream("Hello"))
    assert kinds(await read_all(run)) == ["x", "x"]
    assert isinstance(run.outcome, RunFailed)


async def test_the_log_has_the_run_and_nothing_that_was_said(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "finalturn.serve")
    await read_all(begin(plain([SECRET])))
    await read_all(begin(plain([SECRET, RuntimeError(SECRET)])))
    assert [record.message for record in caplog.records] == ["run completed", "run failed"]
    for record in caplog.records:
        assert vars(record)["run_id"] == "r1" and vars(record)["owner"] == "ann"
        assert SECRET not in str(vars(record))


async def test_a_turn_that_takes_no_notice_is_abandoned_and_shows_nothing_more() -> None:
    started, go_on = asyncio.Event(), asyncio.Event()

    async def swallow() -> None:
        started.set()
        while not go_on.is_set():
            with suppress(asyncio.CancelledError):
                await go_on.wait()

    run = begin(plain(["Wait", swallow, "more"]))
    await started.wait()
    stopping = asyncio.create_task(run.stop(SHUTTING_DOWN))
    await wait_all_tasks_blocked()
    assert not stopping.done() and not run.ended
    run.abandon(SHUTTING_DOWN)
    await asyncio.gather(stopping, run.wait())
    go_on.set()
    await wait_all_tasks_blocked()
    records = await read_all(run)
    assert kinds(records) == ["run", "chunk", "error"]
    assert (records[-1]["code"], records[-1]["retryable"]) == ("shutting_down", True)
    run.abandon(SHUTTING_DOWN)


async def test_of_a_turn_that_is_abandoned_as_it_is_saved_nobody_is_told_to_try_again() -> None:
    run = begin(plain(["Hello", asyncio.Event().wait]))
    await wait_all_tasks_blocked()
    run.is_saving = True
    run.abandon(SHUTTING_DOWN)
    records = await read_all(run)
    assert (records[-1]["code"], records[-1]["retryable"]) == ("session_unavailable", False)
    run.is_saving = False
    await run.stop()


async def test_a_turn_that_is_stopped_before_its_first_step_ends_too() -> None:
    run = begin(plain(["Hello"]))
    await run.stop()
    assert kinds(await read_all(run))[-1] == "error"
    assert isinstance(run.outcome, RunFailed)


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
