"""Turns beside each other, beside other work, and in number."""

from __future__ import annotations

import contextvars
import gc
import threading
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from finalturn import Agent, AgentResult, ModelEnd, ModelEvent, ModelRequest, TextDelta, tool
from finalturn.providers import OpenAIChat, Scripted
from finalturn.sessions import InMemorySessions
from finalturn.testing import ScriptedServer
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._observed import Observed
from tests.field._tools import recording
from tests.field._wire import DONE, oa, say

pytestmark = pytest.mark.anyio
WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


class TestBesideEachOther:
    async def test_two_turns_of_one_agent_share_neither_history_nor_prompt(self) -> None:
        """115: each is half way through its answer when the other begins."""
        both = anyio.Event()
        arrived: list[int] = []

        async def meet() -> None:
            arrived.append(1)
            if len(arrived) == 2:
                both.set()
            await both.wait()

        def answer(request: ModelRequest) -> list[Any]:
            asked = [message.content for message in request.messages]
            return ["I heard ", meet, f"{asked} as {request.system}"]

        agent = Agent(
            Scripted(then=answer), system_prompt=lambda: f"{WHO.get()}'s helper", sessions=InMemorySessions()
        )
        texts: dict[str, str] = {}

        async def turn(who: str) -> None:
            WHO.set(who)
            async with agent.astream(f"I am {who}", session=who) as stream:
                async for _ in stream:
                    pass
            texts[who] = stream.result.text

        async with anyio.create_task_group() as group:
            group.start_soon(turn, "ann")
            group.start_soon(turn, "bob")
        assert texts == {who: f"I heard ['I am {who}'] as {who}'s helper" for who in ("ann", "bob")}

    @pytest.mark.parametrize("name", [*CHUNK_DRIVERS, *TOKEN_DRIVERS])
    @pytest.mark.parametrize("parallel", [True, False])
    def test_context_variables_reach_tools_prompt_and_predicate(self, name: str, parallel: bool) -> None:
        """117."""
        seen: list[str] = []

        @tool
        def sync_tool() -> None:
            """Runs in a thread."""
            seen.append(WHO.get())

        @tool
        async def async_tool() -> None:
            """Runs in the loop."""
            seen.append(WHO.get())

        def prompt() -> str:
            seen.append(WHO.get())
            return ""

        calls = [Scripted.call("sync_tool"), Scripted.call("async_tool")]
        agent = Agent(
            Scripted(calls, "Done."),
            tools=[sync_tool, async_tool],
            system_prompt=prompt,
            parallel_tools=parallel,
        )
        token = WHO.set("u1")
        try:
            observed = Observed()
            {**CHUNK_DRIVERS, **TOKEN_DRIVERS}[name](agent, "go", {}, observed)
        finally:
            WHO.reset(token)
        assert observed.result.content == "Done."
        assert seen == ["u1"] * 3

    async def test_a_tool_that_blocks_its_thread_stops_nobody_else(self) -> None:
        """118."""
        beat = threading.Event()

        @tool
        def block() -> bool:
            """Waits for the loop to go on."""
            return beat.wait(20)

        started = anyio.Event()

        async def heart() -> None:
            await started.wait()
            await anyio.lowlevel.checkpoint()
            beat.set()

        agent = Agent(Scripted([started.set, Scripted.call("block")], "Done."), tools=[block])
        results: list[AgentResult[None]] = []

        async def run() -> None:
            results.append(await agent.arun("go"))

        async with anyio.create_task_group() as group:
            group.start_soon(heart)
            group.start_soon(run)
        (result,) = results
        assert [message.tool_result for message in result.messages if message.tool_name] == ["true"]


class TestASynchronousTurnInsideALoop:  # 120
    async def test_a_synchronous_turn_works_inside_a_loop(self) -> None:
        _, tools = recording("f")
        agent = Agent(Scripted([Scripted.call("f")], "Done.", "Again."), tools=tools)
        pieces: list[str] = []
        assert agent.run("go", stream_handler=pieces.append).content == "Done."
        with agent.stream("go") as items:
            assert [item.content for item in items] == ["Again.", "Again."]
        assert pieces == ["Done."]


class Endless:
    """A model that never stops, and counts what has been read."""

    def __init__(self) -> None:
        self.read = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        while self.read < 100_000:
            self.read += 1
            yield TextDelta("x")
        yield ModelEnd()


class Brief:
    """A model that keeps nothing."""

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield TextDelta("Hello.")
        yield ModelEnd()


class TestMemory:  # 121
    async def test_a_slow_reader_is_waited_for(self) -> None:
        model = Endless()
        async with Agent(model).astream("go") as stream:
            for taken in range(1, 6):
                await stream.__anext__()
                for _ in range(5):
                    await anyio.lowlevel.checkpoint()
                assert model.read <= taken + 1

    async def test_turns_leave_nothing_behind(self) -> None:
        agent = Agent(Brief())

        def alive() -> Counter[str]:
            gc.collect()
            kinds = Counter(type(one).__qualname__ for one in gc.get_objects())
            names = ("AgentStream", "Driver", "Machine", "State", "AgentResult", "StreamChunk", "ModelCall")
            return Counter({name: kinds[name] for name in names})

        await agent.arun("go")
        before = alive()
        for _ in range(200):
            await agent.arun("go")
            async with agent.astream("go") as stream:
                await stream.__anext__()
            del stream
        assert alive() == before


async def test_an_async_handler_gets_every_piece_before_the_result() -> None:
    """122: the tail too."""
    events: list[str] = []

    async def handle(text: str) -> None:
        await anyio.lowlevel.checkpoint()
        events.append(text)

    with ScriptedServer(say("a", "b", "c") + oa({"content": "tail"}, "stop") + DONE) as server:
        async with OpenAIChat("x", base_url=server.url) as chat:
            result = await Agent(chat).arun("go", stream_handler=handle)
    assert [*events, result.content] == ["a", "b", "c", "tail", "abctail"]
