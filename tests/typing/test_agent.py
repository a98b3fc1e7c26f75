"""What the types of an agent and of its results are: to the type checkers, and when it runs.

The type checkers read ``assert_type``; pytest runs the same lines.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any, assert_type

import pytest
from pydantic import TypeAdapter

from finalturn import (
    Agent,
    AgentResult,
    AgentStream,
    ConfigurationError,
    LimitName,
    Limits,
    RunContext,
    RunOptions,
    StreamChunk,
    SyncStream,
    Tool,
)
from tests.typing._models import ANSWER, EITHER, TICKET, Refund, Ticket, scripted

pytestmark = pytest.mark.anyio

SCHEMA: Mapping[str, Any] = {"type": "object"}


class TestWithoutAFormat:
    async def test_there_is_nothing_parsed(self) -> None:
        agent = Agent(scripted())
        assert_type(agent, Agent[None])
        assert_type(agent.run("go"), AgentResult[None])
        assert_type(await agent.arun("go"), AgentResult[None])
        assert_type(agent.stream("go"), SyncStream[None])
        assert_type(agent.astream("go"), AgentStream[None])
        result = agent.run("go")
        assert_type(result.parsed, None)
        assert result.parsed is None

    def test_none_may_be_said(self) -> None:
        agent = Agent(scripted(), response_format=None)
        assert_type(agent, Agent[None])
        assert agent.run("go").parsed is None


class TestAModelClass:
    async def test_of_the_agent(self) -> None:
        agent = Agent(scripted(), response_format=Ticket)
        assert_type(agent, Agent[Ticket])
        result = agent.run("go")
        assert_type(result, AgentResult[Ticket])
        assert_type(result.parsed, Ticket | None)
        assert_type(result.unwrap(), Ticket)
        assert result.unwrap() == TICKET
        assert_type(await agent.arun("go"), AgentResult[Ticket])
        stream = agent.stream("go")
        assert_type(stream, SyncStream[Ticket])
        item = next(stream)
        assert_type(item, StreamChunk | AgentResult[Ticket])
        stream.close()
        async with agent.astream("go") as items:
            assert_type(items, AgentStream[Ticket])
            async for found in items:
                assert_type(found, StreamChunk | AgentResult[Ticket])
            assert_type(items.result, AgentResult[Ticket])
            assert items.result.parsed == TICKET

    async def test_of_the_call(self) -> None:
        agent = Agent(scripted())
        result = agent.run("go", response_format=Ticket)
        assert_type(result, AgentResult[Ticket])
        assert result.parsed == TICKET
        assert_type(await agent.arun("go", response_format=Ticket), AgentResult[Ticket])
        assert_type(agent.stream("go", response_format=Ticket), SyncStream[Ticket])
        assert_type(agent.astream("go", response_format=Ticket), AgentStream[Ticket])

    async def test_of_the_call_instead_of_the_agents(self) -> None:
        agent = Agent(scripted('{"amount": 3}'), response_format=Ticket)
        result = agent.run("go", response_format=Refund)
        assert_type(result, AgentResult[Refund])
        assert result.parsed == Refund(amount=3)
        assert_type(await agent.arun("go", response_format=Refund), AgentResult[Refund])
        assert_type(agent.stream("go", response_format=Refund), SyncStream[Refund])
        assert_type(agent.astream("go", response_format=Refund), AgentStream[Refund])

    async def test_none_for_a_call_means_no_structure(self) -> None:
        agent = Agent(scripted(), response_format=Ticket)
        result = agent.run("go", response_format=None)
        assert_type(result, AgentResult[None])
        assert (result.structured_status, result.content) == (None, ANSWER)
        assert_type(await agent.arun("go", response_format=None), AgentResult[None])
        assert_type(agent.stream("go", response_format=None), SyncStream[None])
        assert_type(agent.astream("go", response_format=None), AgentStream[None])


class TestATypeAdapter:
    async def test_of_the_agent(self) -> None:
        agent = Agent(scripted(), response_format=EITHER)
        assert_type(agent, Agent[Ticket | Refund])
        result = agent.run("go")
        assert_type(result, AgentResult[Ticket | Refund])
        assert_type(result.parsed, Ticket | Refund | None)
        assert result.parsed == TICKET

    async def test_of_the_call(self) -> None:
        agent = Agent(scripted("[1, 2]"), response_format=Ticket)
        numbers = TypeAdapter(list[int])
        result = agent.run("go", response_format=numbers)
        assert_type(result, AgentResult[list[int]])
        assert result.unwrap() == [1, 2]
        assert_type(await agent.arun("go", response_format=numbers), AgentResult[list[int]])
        assert_type(agent.stream("go", response_format=numbers), SyncStream[list[int]])
        assert_type(agent.astream("go", response_format=numbers), AgentStream[list[int]])


class TestAMapping:
    async def test_gives_anything(self) -> None:
        agent = Agent(scripted(), response_format=SCHEMA)
        assert_type(agent, Agent[Any])
        result = agent.run("go")
        assert_type(result, AgentResult[Any])
        assert result.parsed == {"topic": "order"}

    async def test_of_the_call(self) -> None:
        agent = Agent(scripted(), response_format=Ticket)
        result = agent.run("go", response_format=SCHEMA)
        assert_type(result, AgentResult[Any])
        assert result.parsed == {"topic": "order"}
        assert_type(await agent.arun("go", response_format={"type": "object"}), AgentResult[Any])
        assert_type(agent.stream("go", response_format=SCHEMA), SyncStream[Any])
        assert_type(agent.astream("go", response_format=SCHEMA), AgentStream[Any])


class TestVariance:
    def test_a_result_of_a_subclass_is_one_of_the_class(self) -> None:
        class Urgent(Ticket):
            urgent: bool = True

        def topic_of(result: AgentResult[Ticket]) -> str:
            return result.unwrap().topic

        def turn(agent: Agent[Ticket]) -> str:
            return topic_of(agent.run("go"))

        agent = Agent(scripted(), response_format=Urgent)
        assert_type(agent, Agent[Urgent])
        assert topic_of(agent.run("go")) == "order"
        assert turn(agent) == "order"
        anything: AgentResult[object] = agent.run("go")
        assert anything.parsed == Urgent(topic="order")

    def test_streams_are_covariant_too(self) -> None:
        def last(stream: SyncStream[object]) -> object:
            return list(stream)[-1]

        assert isinstance(last(Agent(scripted(), response_format=Ticket).stream("go")), AgentResult)


class TestLimits:
    async def test_they_change_no_type(self) -> None:
        agent = Agent(scripted(), response_format=Ticket, limits=Limits(requests=3))
        assert_type(agent, Agent[Ticket])
        assert_type(agent.run("go", limits=Limits(seconds=60)), AgentResult[Ticket])
        assert_type(await agent.arun("go", limits=Limits(seconds=0.5)), AgentResult[Ticket])
        options: RunOptions[None] = {"limits": Limits(tool_calls=1)}
        result = agent.run("go", **options)
        assert_type(result.limit, LimitName | None)
        assert result.limit is None

    def test_each_has_its_type(self) -> None:
        with pytest.raises(ConfigurationError):
            Limits(requests=0.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        with pytest.raises(ConfigurationError):
            Agent(scripted(), limits=3)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


class User:
    """Who is asking."""


class TestAnAgentAsATool:
    def test_its_deps_are_those_of_the_agent_that_has_it(self) -> None:
        with_deps = Agent(scripted(), deps_type=User)
        asks = with_deps.as_tool("ask", "Finds things out.")
        assert_type(asks, Tool[..., Coroutine[Any, Any, str], User])
        assert_type(Agent(scripted(), tools=[asks], deps_type=User), Agent[None, User])
        with pytest.raises(ConfigurationError, match="the agent has no deps"):
            Agent(scripted(), tools=[asks])  # type: ignore[list-item]  # pyright: ignore
        with pytest.raises(ConfigurationError, match="deps_type is int"):
            Agent(scripted(), tools=[asks], deps_type=int)  # type: ignore  # pyright: ignore

    def test_without_deps_any_agent_may_have_it(self) -> None:
        asks = Agent(scripted(), response_format=Ticket).as_tool("ask", "Finds things out.", show=True)
        assert_type(asks, Tool[..., Coroutine[Any, Any, str], object])
        assert_type(Agent(scripted(), tools=[asks]), Agent[None])

        def known(ctx: RunContext[User]) -> bool:
            return True

        for_known = Agent(scripted()).as_tool("ask", "Finds things out.", available=known)
        assert_type(for_known, Tool[..., Coroutine[Any, Any, str], User])
        assert_type(Agent(scripted(), tools=[asks], deps_type=User), Agent[None, User])
