from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked
from starlette.requests import Request

from finalturn import ConfigurationError, Message
from finalturn._serve.formats.items import Ended
from finalturn._serve.formats.native import Native
from finalturn._serve.problems.problem import Problem
from finalturn._serve.served import Served
from finalturn.serve import ServeConfig
from finalturn.sessions import InMemorySessions
from tests.serve._agents import SlowSessions, desk, plain

pytestmark = pytest.mark.anyio

REQUEST = Request({"type": "http", "method": "POST", "path": "/", "headers": []})


def served(*calls: Any, **config: Any) -> Served:
    return Served(plain(*calls, sessions=InMemorySessions()), None, ServeConfig(**config))


async def begin(one: Served, owner: str | None, session: str | None) -> str:
    run = await one.begin(
        [Message.user("Hello")],
        lambda run_id: Native(),
        request=REQUEST,
        owner=owner,
        session=session,
        format="native",
    )
    await run.wait()
    return run.id


async def test_a_session_is_kept_under_its_owners_name() -> None:
    one = served()
    await begin(one, "ann", "s")
    await begin(one, None, "t")
    await begin(one, "ann", None)
    assert isinstance(one.store, InMemorySessions)
    assert [found.session for found in one.store.list_sessions("", "", 9)] == ["ann:s", "t"]


async def test_a_run_that_cannot_be_resumed_is_not_found() -> None:
    one = served()
    run_id = await begin(one, None, None)
    run = one.find(run_id, owner=None, session=None, format="native")
    with pytest.raises(Problem) as caught:
        one.check_resumable(run, 0)
    assert caught.value.status_code == 404
    other = served(resume_for=60)
    run_id = await begin(other, None, None)
    run = other.find(run_id, owner=None, session=None, format="native")
    assert run.id == run_id and other.check_resumable(run, 0) is run
    with pytest.raises(Problem) as caught:
        other.check_resumable(run, 9)
    assert caught.value.status_code == 410


async def test_the_same_request_finds_its_run_and_no_other() -> None:
    one = served(resume_for=60)
    asked = [Message.user("Hello")]
    find: Any = partial(one.find_repeated, owner="ann", session="s", format="native")
    with pytest.raises(Problem) as caught:
        find(asked, 1)
    assert caught.value.code == "records_gone"
    first = await begin(one, "ann", "s")
    assert find(asked, 1).id == first
    for changed in ({"owner": "bob"}, {"session": "t"}, {"session": None}, {"format": "ai-sdk"}):
        with pytest.raises(Problem):
            find(asked, 1, **changed)
    with pytest.raises(Problem):
        find([Message.user("Hello!")], 1)
    with pytest.raises(Problem):
        find(asked, 9)
    second = await begin(one, "ann", "s")
    assert find(asked, 1).id == second


async def test_a_save_that_has_begun_is_the_end_of_stopping() -> None:
    store = SlowSessions()
    one = Served(plain(sessions=store), None, ServeConfig())
    run = await one.begin(
        [Message.user("Hello")],
        lambda run_id: Native(),
        request=REQUEST,
        owner="ann",
        session="s",
        format="native",
    )
    await store.begun.wait()
    stopping = asyncio.create_task(run.stop())
    await wait_all_tasks_blocked()
    assert not stopping.done()
    store.go_on.set()
    await stopping
    assert isinstance(run.outcome, Ended) and (await store.load("ann:s")).version == 1


def test_the_agents_own_parts() -> None:
    store = InMemorySessions()
    assert Served(desk(sessions=store), None, ServeConfig()).store is store
    assert Served(desk(sessions=InMemorySessions()), store, ServeConfig()).store is store
    bare = Served(plain(), None, ServeConfig())
    assert bare.store is None and not bare.keeps_sessions and bare.output is None
    assert Served(desk(), None, ServeConfig()).output is not None


def test_the_agent_itself_stays_as_it_is() -> None:
    agent = plain()
    assert Served(agent, InMemorySessions(), ServeConfig()).keeps_sessions
    with pytest.raises(ConfigurationError, match="a session needs a store"):
        agent.astream("Hello", session="s")


def test_something_else() -> None:
    with pytest.raises(ConfigurationError, match="an Agent can be served, not a str"):
        Served("agent", None, ServeConfig())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
