"""What an override holds for, and what a stream of a call is opened with."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from finalturn import Agent, ConfigurationError, SessionError
from finalturn._agent.agent import with_sessions
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions


def said(agent: Agent[None]) -> str:
    return agent.run("?").content


def test_the_inner_override_holds_and_the_outer_one_comes_back() -> None:
    agent = Agent(Scripted(then="real"))
    with agent.override(provider=Scripted(then="outer")):
        with agent.override(provider=Scripted(then="inner")):
            assert said(agent) == "inner"
        assert said(agent) == "outer"
    assert said(agent) == "real"


def test_it_ends_when_its_block_fails() -> None:
    agent = Agent(Scripted(then="real"))
    with pytest.raises(LookupError), agent.override(provider=Scripted(then="fake")):
        raise LookupError
    assert said(agent) == "real"


def test_it_holds_for_copies_of_the_agent() -> None:
    agent = Agent(Scripted(then="real"))
    copy = with_sessions(agent, InMemorySessions())
    with agent.override(provider=Scripted(then="fake")):
        assert said(copy) == "fake"


async def _of_tasks() -> tuple[str, str]:
    agent = Agent(Scripted(then="real"))
    go_on = asyncio.Event()

    async def turn() -> str:
        await go_on.wait()
        return (await agent.arun("?")).content

    before = asyncio.create_task(turn())
    with agent.override(provider=Scripted(then="fake")):
        inside = asyncio.create_task(turn())
    go_on.set()
    return await before, await inside


def test_it_holds_for_tasks_that_are_started_inside_it() -> None:
    assert asyncio.run(_of_tasks()) == ("real", "fake")


def test_a_session_needs_a_store_and_an_id() -> None:
    with pytest.raises(ConfigurationError, match="a session needs a store"):
        Agent(Scripted("x")).astream("?", session="s")
    with pytest.raises(SessionError):
        Agent(Scripted("x"), sessions=InMemorySessions()).astream("?", session="../s")


@pytest.mark.anyio
async def test_an_override_holds_inside_its_block_and_wins_over_the_call() -> None:
    agent = Agent(Scripted("real", "real"), deps_type=str)
    with agent.override(provider=Scripted("fake", "fake"), deps="test"):
        assert (await agent.arun("?", deps="ann", provider=Scripted("call"))).content == "fake"
    assert (await agent.arun("?", deps="ann")).content == "real"


@pytest.mark.anyio
async def test_an_override_is_of_one_agent() -> None:
    one, two = Agent(Scripted("one")), Agent(Scripted("two"))
    with one.override(provider=Scripted("fake")):
        assert (await two.arun("?")).content == "two"


def test_an_override_that_cannot_work_is_refused() -> None:
    odd: Any = object()
    with pytest.raises(ConfigurationError, match="the provider must be"):
        Agent(Scripted("one")).override(provider=odd).__enter__()
