"""A turn as an asynchronous stream: reading it."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    AgentResult,
    AgentStream,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ProviderError,
    StreamChunk,
    StreamClosedError,
    StreamError,
    TextDelta,
    Usage,
    tool,
)
from finalturn.providers import Scripted
from tests.agent._parts import ANSWER, FINAL, Counting, Ticket, texts

pytestmark = pytest.mark.anyio

SPENT = Usage(input_tokens=5)


@tool
async def look(order: str) -> str:
    """Looks."""
    await anyio.lowlevel.checkpoint()
    return f"saw {order}"


def ticket_agent(script: Scripted | None = None) -> Agent[Ticket]:
    script = script or Scripted(["Look. ", Scripted.call("look", {"order": "A"})], ["Do", "ne."], ANSWER)
    return Agent(script, tools=[look], structured_output=FINAL, response_format=Ticket)


class TestReading:
    async def test_it_ends_with_the_result_and_stays_ended(self) -> None:
        stream = ticket_agent().astream("go")
        items = [item async for item in stream]
        assert [type(item) for item in items] == [StreamChunk] * (len(items) - 1) + [AgentResult]
        assert stream.result is items[-1]
        assert stream.result.parsed == Ticket(topic="order", urgent=True)
        for _ in range(2):
            with pytest.raises(StopAsyncIteration):
                await anext(stream)
        assert [item async for item in stream] == []

    async def test_shown_text_is_the_results_text(self) -> None:
        """Also what comes after the last tool."""
        stream = ticket_agent().astream("go")
        shown = "".join([item.content async for item in stream if isinstance(item, StreamChunk)])
        assert shown == stream.result.text == "Look. Done."

    async def test_at_the_iteration_limit_there_is_one_result(self) -> None:
        agent = Agent(Scripted(Scripted.call("look", {"order": "A"})), tools=[look], max_iterations=1)
        items = [item async for item in agent.astream("go")]
        assert [type(item) for item in items] == [StreamChunk, StreamChunk, AgentResult]

    async def test_between_two_items_nothing_is_read(self) -> None:
        provider = Counting(*texts("a", "b", "c"))
        stream = Agent(provider).astream("go")
        assert provider.reads == 0
        for read in (1, 2, 3):
            await anext(stream)
            await anyio.wait_all_tasks_blocked()
            assert provider.reads == read
        await stream.aclose()

    async def test_a_stream_that_nobody_reads_starts_nothing(self) -> None:
        script = Scripted()
        Agent(script, system_prompt=fail).astream("go")
        async with Agent(script).astream("go"):
            pass
        assert script.requests == []

    async def test_the_result_is_there_once_it_was_given(self) -> None:
        stream = Agent(Scripted("a")).astream("go")
        with pytest.raises(StreamError, match="there is no result"):
            _ = stream.result
        await anext(stream)
        with pytest.raises(StreamError, match="there is no result"):
            _ = stream.result
        assert await anext(stream) is stream.result

    async def test_usage_is_there_at_any_time(self) -> None:
        script = Scripted([Scripted.call("look", {"order": "A"}), SPENT], ["Done.", SPENT], [ANSWER, SPENT])
        stream = ticket_agent(script).astream("go")
        assert stream.usage == Usage()
        seen = [stream.usage.input_tokens async for _ in stream]
        assert seen == [5, 5, 5, 10, 15]
        assert stream.usage == stream.result.usage


class TestSteps:
    @pytest.mark.parametrize("anyio_backend", ["asyncio"])
    @pytest.mark.parametrize(
        "take",
        [asyncio.create_task, partial(asyncio.wait_for, timeout=30), asyncio.shield],
        ids=["task", "wait_for", "shield"],
    )
    async def test_each_may_have_a_task_of_its_own(self, take: Callable[[Any], Awaitable[Any]]) -> None:
        stream = ticket_agent().astream("go")
        while not isinstance(await take(anext_of(stream)), AgentResult):
            pass
        assert stream.result.text == "Look. Done."

    async def test_each_may_have_a_task_group_of_its_own(self) -> None:
        stream = ticket_agent().astream("go")
        items: list[Any] = []

        async def step() -> None:
            items.append(await anext(stream))

        while not items or not isinstance(items[-1], AgentResult):
            async with anyio.create_task_group() as group:
                group.start_soon(step)
        assert stream.result.text == "Look. Done."

    async def test_each_may_have_a_timeout_of_its_own(self) -> None:
        stream = ticket_agent().astream("go")
        item: Any = None
        while not isinstance(item, AgentResult):
            with anyio.fail_after(30):
                item = await anext(stream)
        assert stream.result.text == "Look. Done."

    async def test_a_step_that_times_out_ends_the_turn(self) -> None:
        script = Scripted(["a", anyio.sleep_forever])
        stream = Agent(script).astream("go")
        await anext(stream)
        with anyio.move_on_after(0) as scope:
            await anext(stream)
        assert scope.cancelled_caught
        assert (script.open, script.abandoned) == (0, 1)
        with pytest.raises(StreamClosedError):
            await anext(stream)

    async def test_a_provider_may_keep_a_context_variable_between_steps(self) -> None:
        """It is set and reset in one generator, which one task reads."""
        variable: ContextVar[str] = ContextVar("variable", default="outside")

        class Provider:
            async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                token = variable.set("inside")
                try:
                    yield TextDelta(variable.get())
                    yield ModelEnd()
                finally:
                    variable.reset(token)

        assert (await Agent(Provider()).arun("go")).content == "inside"
        assert variable.get() == "outside"


class TestMisuse:
    async def test_two_readers_at_once_are_one_too_many(self) -> None:
        go_on, waiting = anyio.Event(), anyio.Event()
        stream = Agent(Scripted(["a", waiting.set, go_on.wait, "b"])).astream("go")
        items: list[Any] = [await anext(stream)]

        async def reader() -> None:
            items.extend([item async for item in stream])

        async with anyio.create_task_group() as group:
            group.start_soon(reader)
            await waiting.wait()
            for _ in range(2):
                with pytest.raises(StreamError, match="already being read by another task"):
                    await anext(stream)
            go_on.set()
        assert stream.result.content == "ab"
        assert len(items) == 3

    async def test_a_turn_that_reads_itself_fails(self) -> None:
        streams: list[AgentStream[Any]] = []

        async def prompt() -> str:
            await anext(streams[0])
            return ""

        streams.append(Agent(Scripted(), system_prompt=prompt).astream("go"))
        with pytest.raises(StreamError, match="already being read"):
            await anext(streams[0])
        with pytest.raises(StreamClosedError):
            await anext(streams[0])


class TestFailures:
    async def test_a_failed_turn_is_over(self) -> None:
        stream = Agent(Scripted(["a", ProviderError("down")])).astream("go")
        await anext(stream)
        with pytest.raises(ProviderError, match="down"):
            await anext(stream)
        with pytest.raises(StreamClosedError, match="without a result: its turn failed"):
            await anext(stream)
        with pytest.raises(StreamClosedError, match="without a result: its turn failed"):
            _ = stream.result

    async def test_the_end_of_something_else_is_not_the_end_of_the_turn(self) -> None:
        """An exception that would end a loop over the stream as if all were well."""

        def prompt() -> str:
            raise StopAsyncIteration

        stream = Agent(Scripted(), system_prompt=prompt).astream("go")
        with pytest.raises(RuntimeError, match="raised StopAsyncIteration") as caught:
            await anext(stream)
        assert isinstance(caught.value.__cause__, StopAsyncIteration)


def fail() -> str:
    raise AssertionError("it was called")


async def anext_of(stream: AgentStream[Any]) -> Any:
    return await anext(stream)


class TestHowItEnded:
    """A reader that comes late is told what has become of the turn."""

    @staticmethod
    async def told(stream: AgentStream[Any]) -> set[str]:
        """What is said by the next item, and by the result."""
        with pytest.raises(StreamClosedError) as next_one:
            await anext(stream)
        with pytest.raises(StreamClosedError) as result:
            _ = stream.result
        return {str(caught.value).partition(": ")[2] for caught in (next_one, result)}

    async def test_it_was_closed(self) -> None:
        for items in (0, 1):
            stream = Agent(Scripted(["a", "b"])).astream("go")
            for _ in range(items):
                await anext(stream)
            await stream.aclose()
            assert await self.told(stream) == {"it was closed"}

    async def test_its_turn_failed(self) -> None:
        stream = Agent(Scripted(["a", ProviderError("down")])).astream("go")
        with pytest.raises(ProviderError):
            async for _ in stream:
                pass
        await stream.aclose()
        assert await self.told(stream) == {"its turn failed"}

    async def test_a_step_was_cancelled(self) -> None:
        stream = Agent(Scripted([Scripted.pause(600)])).astream("go")
        with anyio.CancelScope() as scope:
            scope.cancel()
            await anext(stream)
        assert await self.told(stream) == {"a step of it was cancelled"}


class TestOneTurn:
    def test_it_is_not_copied_or_pickled(self) -> None:
        agent = Agent(Scripted(then="a"))
        with agent.stream("go") as sync:
            for stream in (sync, agent.astream("go")):
                for take in (copy.copy, copy.deepcopy, pickle.dumps):
                    with pytest.raises(TypeError, match="cannot be copied or pickled"):
                        take(stream)
            assert [type(item).__name__ for item in sync] == ["StreamChunk", "AgentResult"]

    def test_one_that_could_not_be_made_is_collected_in_silence(self) -> None:
        make: Any = AgentStream
        with pytest.raises(TypeError):
            make()
        gc.collect()
