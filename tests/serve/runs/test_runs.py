from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked

from finalturn._serve.formats.items import Ended
from finalturn._serve.formats.native import Native
from finalturn._serve.problems.problem import Problem
from finalturn._serve.runs.run import Run
from finalturn._serve.runs.runs import Runs
from finalturn.serve import ServeConfig
from tests.serve._agents import Held, plain

pytestmark = pytest.mark.anyio


def start(runs: Runs, *items: Any, owner: str | None = "ann", session: str | None = None) -> Run:
    agent = plain(*items)
    return runs.start(
        lambda run_id: agent.astream("Hello"),
        lambda run_id: Native(),
        owner=owner,
        session=session,
        format="native",
    )


def code(caught: pytest.ExceptionInfo[Problem]) -> str:
    return caught.value.code


async def test_a_run_is_found_by_its_owner_alone() -> None:
    runs = Runs(ServeConfig(resume_for=60))
    run = start(runs, session="s")
    find = runs.find
    assert find(run.id, owner="ann", session="s", format="native") is run
    assert find(run.id, owner="bob", session="s", format="native") is None
    assert find(run.id, owner=None, session="s", format="native") is None
    assert find(run.id, owner="ann", session=None, format="native") is None
    assert find(run.id, owner="ann", session="s", format="ag-ui") is None
    assert find("other", owner="ann", session="s", format="native") is None
    await run.wait()


async def test_ids_cannot_be_guessed() -> None:
    runs = Runs(ServeConfig())
    ids = {start(runs).id for _ in range(20)}
    assert len(ids) == 20 and min(map(len, ids)) >= 22
    await runs.drain(5)


async def test_one_turn_of_a_session_at_a_time() -> None:
    runs = Runs(ServeConfig())
    held = Held()
    run = start(runs, held.items, session="s")
    with pytest.raises(Problem) as caught:
        start(runs, session="s")
    assert code(caught) == "session_busy"
    assert runs.is_busy("ann", "s") and not runs.is_busy("bob", "s")
    assert runs.running(owner="ann", session="s", format="native") is run
    assert runs.running(owner="ann", session="s", format="ag-ui") is None
    other = start(runs, session="s", owner="bob")
    held.go_on.set()
    await asyncio.gather(run.wait(), other.wait())
    await start(runs, session="s").wait()


async def test_a_run_that_is_read_is_waited_for_and_no_longer_than_that() -> None:
    runs = Runs(ServeConfig(busy_timeout=0.01))
    held = Held()
    run = start(runs, held.items, session="s")
    run.join()
    await runs.end_running("ann", "other")
    with pytest.raises(Problem) as caught:
        await runs.end_running("ann", "s")
    assert code(caught) == "session_busy" and not held.stopped.is_set()
    patient = Runs(ServeConfig(busy_timeout=60))
    held = Held()
    run = start(patient, held.items, session="s")
    run.join()
    waiting = asyncio.create_task(patient.end_running("ann", "s"))
    await wait_all_tasks_blocked()
    assert not waiting.done()
    held.go_on.set()
    await waiting
    assert run.ended and not held.stopped.is_set() and not patient.is_busy("ann", "s")
    await runs.drain(0)


async def test_a_run_that_nobody_reads_any_more_gives_way() -> None:
    runs = Runs(ServeConfig(resume_for=60, busy_timeout=60))
    held = Held()
    run = start(runs, held.items, session="s")
    ticket = run.join()
    waiting = asyncio.create_task(runs.end_running("ann", "s"))
    await wait_all_tasks_blocked()
    run.leave(ticket)
    await waiting
    assert held.stopped.is_set() and not runs.is_busy("ann", "s")
    # Whoever comes back to it is told.
    assert runs.find(run.id, owner="ann", session="s", format="native") is run


async def test_a_run_that_is_being_saved_does_not_give_way() -> None:
    runs = Runs(ServeConfig(busy_timeout=60))
    held = Held()
    run = start(runs, held.items, session="s")
    await held.started.wait()
    runs.mark_saving("ann:s")
    runs.mark_saving("ann:other")
    waiting = asyncio.create_task(runs.end_running("ann", "s"))
    await wait_all_tasks_blocked()
    assert not waiting.done() and not held.stopped.is_set()
    held.go_on.set()
    await waiting
    assert isinstance(run.outcome, Ended)


async def test_too_many_runs() -> None:
    runs = Runs(ServeConfig(max_runs=1))
    held = Held()
    run = start(runs, held.items)
    with pytest.raises(Problem) as caught:
        start(runs)
    assert code(caught) == "overloaded"
    await runs.reader_left(run)
    assert len(runs) == 0
    await start(runs).wait()


async def test_a_run_that_is_only_kept_makes_room() -> None:
    runs = Runs(ServeConfig(max_runs=1, resume_for=60))
    run = start(runs)
    await run.wait()
    with pytest.raises(Problem):
        start(runs)  # A client may be reading it.
    await runs.reader_left(run)
    other = start(runs)
    assert runs.find(run.id, owner="ann", session=None, format="native") is None
    await other.wait()
    await runs.reader_left(other)
    await runs.drain(5)


async def test_without_resume_a_run_stops_with_its_client() -> None:
    runs = Runs(ServeConfig())
    held = Held()
    run = start(runs, held.items)
    await held.started.wait()
    await runs.reader_left(run)
    assert held.stopped.is_set() and len(runs) == 0


async def test_with_resume_it_goes_on() -> None:
    runs = Runs(ServeConfig(resume_for=60))
    held = Held()
    run = start(runs, held.items)
    await held.started.wait()
    await runs.reader_left(run)
    held.go_on.set()
    await run.wait()
    assert not held.stopped.is_set() and len(runs) == 1
    runs.reader_joined(run)
    await runs.reader_left(run)
    await runs.drain(5)


async def test_and_stops_when_nobody_comes_back() -> None:
    runs = Runs(ServeConfig(resume_for=1e-6))
    held = Held()
    run = start(runs, held.items)
    await held.started.wait()
    await runs.reader_left(run)
    await held.stopped.wait()
    await run.wait()
    await wait_all_tasks_blocked()
    assert len(runs) == 0


async def test_a_start_that_fails_leaves_nothing_behind() -> None:
    runs = Runs(ServeConfig())

    class Broken:
        def records(self, item: object, /) -> list[dict[str, Any]]:
            raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        runs.start(
            lambda run_id: plain().astream("Hello"),
            lambda run_id: Broken(),
            owner=None,
            session="s",
            format="native",
        )
    assert len(runs) == 0 and not runs.is_busy(None, "s")
    await runs.drain(60)


async def test_a_drain_lets_runs_end() -> None:
    runs = Runs(ServeConfig())
    held = Held()
    run = start(runs, held.items)
    draining = asyncio.create_task(runs.drain(60))
    await wait_all_tasks_blocked()
    assert runs.draining and not draining.done()
    with pytest.raises(Problem) as caught:
        start(runs)
    assert code(caught) == "shutting_down"
    held.go_on.set()
    await draining
    assert run.ended and not held.stopped.is_set()


async def test_a_drain_stops_what_takes_too_long() -> None:
    runs = Runs(ServeConfig())
    held = Held()
    start(runs, held.items)
    await held.started.wait()
    await runs.drain(0)
    assert held.stopped.is_set()


async def test_dropping_stops_and_forgets() -> None:
    runs = Runs(ServeConfig(resume_for=60))
    held = Held()
    run = start(runs, held.items)
    await held.started.wait()
    await runs.drop(run)
    assert held.stopped.is_set() and len(runs) == 0
