"""Turns inside running event loops, inside other turns, and at the same time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    AgentResult,
    ConfigurationError,
    Message,
    ModelRequest,
    StructuredOutputConfig,
    tool,
)
from finalturn.providers import Scripted
from tests.agent._parts import ANSWER, Ticket
from tests.agent._surfaces import SURFACES, on_every_surface

pytestmark = pytest.mark.anyio

user: ContextVar[str] = ContextVar("user", default="nobody")


class TestInsideARunningLoop:
    async def test_the_synchronous_methods_work_and_block_it(self) -> None:
        agent = Agent(Scripted("one", ["two"], ["three"]))
        assert agent.run("go").content == "one"
        assert agent.run("go", stream_handler=len).content == "two"
        with agent.stream("go") as items:
            assert len(list(items)) == 2

    def test_of_the_portal_itself_from_a_synchronous_tool(self) -> None:
        inner = Agent(Scripted("inner"))

        @tool
        def ask() -> str:
            """Asks another agent."""
            return inner.run("go").content

        result = Agent(Scripted(Scripted.call("ask"), "outer"), tools=[ask]).run("go")
        assert [message.tool_result for message in result.messages if message.role == "tool"] == ["inner"]

    @pytest.mark.parametrize("method", ["run", "stream", "next", "close"])
    def test_of_the_portal_itself_from_an_asynchronous_one(self, method: str) -> None:
        inner = Agent(Scripted("inner"))
        outside = inner.stream("go")

        @tool
        async def ask() -> None:
            """Asks another agent."""
            if method == "run":
                inner.run("go")
            elif method == "stream":
                inner.stream("go")
            elif method == "next":
                next(outside)
            else:
                outside.close()

        result = Agent(Scripted(Scripted.call("ask"), "outer"), tools=[ask]).run("go")
        told = next(message for message in result.messages if message.role == "tool")
        assert told.tool_result is None
        assert "arun()" in told.content or "astream()" in told.content

    def test_of_the_portal_itself_from_the_predicate(self) -> None:
        def predicate(messages: Sequence[Message], text: str) -> bool:
            return bool(Agent(Scripted("inner")).run("go").content)

        config = StructuredOutputConfig(final_turn_only=True, should_finalize=predicate)
        with pytest.raises(ConfigurationError, match=r"use arun\(\)"):
            Agent(Scripted("hm"), structured_output=config, response_format=Ticket).run("go")

    async def test_an_asynchronous_tool_asks_another_agent(self) -> None:
        inner = Agent(Scripted(then="inner"))

        @tool
        async def ask() -> str:
            """Asks another agent."""
            return (await inner.arun("go")).content

        for drive in SURFACES:
            agent = Agent(Scripted(Scripted.call("ask"), "outer"), tools=[ask])
            result = await drive(agent, "go")
            assert [m.tool_result for m in result.messages if m.role == "tool"] == ["inner"]


class TestManyTurns:
    def test_from_several_threads_at_once_are_apart(self) -> None:
        barrier = threading.Barrier(8)

        class Provider:
            def complete(self, request: ModelRequest, /) -> Any:
                barrier.wait(30)
                return (
                    Scripted(f"for {request.messages[-1].content}").whole_reply(sync=True).complete(request)
                )

        agent = Agent(Provider(), system_prompt=lambda: user.get())

        def turn(name: str) -> str:
            user.set(name)
            return agent.run(name).content

        names = [f"u{index}" for index in range(8)]
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(turn, names)) == [f"for {name}" for name in names]

    @on_every_surface
    async def test_see_their_callers_context(self, drive: Any) -> None:
        seen: list[str] = []

        def note(*given: Any) -> Any:
            seen.append(user.get())
            return "" if not given else True

        @tool
        def in_thread() -> None:
            """Looks."""
            note()

        @tool
        async def in_loop() -> None:
            """Looks."""
            note()

        calls = [Scripted.call("in_thread"), Scripted.call("in_loop")]
        agent = Agent(
            Scripted(calls, [note, "hm"], ANSWER),
            tools=[in_thread, in_loop],
            system_prompt=note,
            context=[note],
            structured_output=StructuredOutputConfig(final_turn_only=True, should_finalize=note),
            response_format=Ticket,
        )
        user.set("u1")
        await drive(agent, "go")
        assert seen == ["u1"] * 6

    async def test_a_synchronous_tool_does_not_stop_the_loop(self) -> None:
        ticking = threading.Event()

        @tool
        def wait() -> bool:
            """Waits for the event loop."""
            return ticking.wait(30)

        async def tick() -> None:
            ticking.set()

        agent = Agent(Scripted(Scripted.call("wait"), "done"), tools=[wait])
        async with anyio.create_task_group() as group:
            stream = agent.astream("go")
            await anext(stream)
            group.start_soon(tick)
            results = [item async for item in stream if isinstance(item, AgentResult)]
            assert results[0].messages[-2].tool_result == "true"
