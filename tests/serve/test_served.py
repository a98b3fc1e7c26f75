from __future__ import annotations

from typing import Any

import pytest

from finalturn import ConfigurationError, Message
from finalturn.serve import ServeConfig
from finalturn.serve._native import Native
from finalturn.serve._problem import Problem
from finalturn.serve._served import Served
from finalturn.sessions import InMemorySessions
from tests.serve._agents import desk, plain

pytestmark = pytest.mark.anyio


def served(*calls: Any, **config: Any) -> Served:
    return Served(plain(*calls, sessions=InMemorySessions()), None, ServeConfig(**config))


async def begin(one: Served, owner: str | None, session: str | None) -> str:
    run = one.begin(
        [Message.user("Hello")], lambda run_id: Native(), owner=owner, session=session, format="native"
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
    with pytest.raises(Problem) as caught:
        one.find(run_id, owner=None, session=None, format="native")
    assert caught.value.status_code == 404
    other = served(resume_for=60)
    run_id = await begin(other, None, None)
    assert other.find(run_id, owner=None, session=None, format="native").id == run_id


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
