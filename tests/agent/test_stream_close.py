"""A turn as an asynchronous stream: leaving it."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anyio
import pytest
from anyio import to_thread

from finalturn import (
    Agent,
    AgentStream,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    SessionHistory,
    StreamClosedError,
    StreamError,
    StructuredOutputConfig,
    TextDelta,
    tool,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._parts import ANSWER, Ticket

pytestmark = pytest.mark.anyio

CALL = Scripted.call("work")


class Place:
    """A place of a turn at which it waits until it is stopped."""

    def __init__(self) -> None:
        self.reached = anyio.Event()
        self.stopped = 0

    async def wait(self, *given: object) -> Any:
        self.reached.set()
        try:
            await anyio.sleep_forever()
        finally:
            self.stopped += 1

    check = load = complete = wait


class Streaming:
    def __init__(self, place: Place) -> None:
        self.place = place

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        await self.place.wait()
        yield ModelEnd()


def waiting_in(name: str, place: Place) -> AgentStream[Any]:
    """A turn that waits there."""

    @tool
    async def work() -> None:
        """Works."""
        if name == "tool":
            await place.wait()

    class Store(InMemorySessions):
        load = place.wait  # type: ignore[assignment]  # pyright: ignore

    parts: dict[str, Any] = {
        "provider": Scripted(CALL, "done"),
        "tools": [work],
        "structured_output": StructuredOutputConfig(final_turn_only=True),
        "response_format": Ticket,
    }
    at: dict[str, dict[str, Any]] = {
        "stream": {"provider": Streaming(place)},
        "complete": {"provider": Reply(place)},
        "tool": {},
        "gate": {"gates": [place]},
        "predicate": {
            "structured_output": StructuredOutputConfig(final_turn_only=True, should_finalize=place.wait)
        },
        "system_prompt": {"system_prompt": place.wait},
        "context": {"context": [place.wait]},
        "load": {"sessions": Store()},
    }
    make: Any = Agent
    agent: Agent[Any] = make(**{**parts, **at[name]})
    return agent.astream("go", session="s" if name == "load" else None)


class Reply:
    def __init__(self, place: Place) -> None:
        self.complete = place.wait


PLACES = ["stream", "complete", "tool", "gate", "predicate", "system_prompt", "context", "load"]


async def read_all(stream: AgentStream[Any], ended: list[str]) -> None:
    try:
        async for _ in stream:
            pass
    except StreamClosedError:
        ended.append("closed")
    else:
        ended.append("ended")


async def is_closed(stream: AgentStream[Any]) -> bool:
    """Whether each further read says that there is no result, and none looks like the end of a turn."""
    for _ in range(2):
        with pytest.raises(StreamClosedError, match="ended without a result"):
            await anext(stream)
    return True


@pytest.mark.parametrize("name", PLACES)
async def test_whoever_waits_for_an_item_is_told_that_it_was_closed(name: str) -> None:
    place, ended = Place(), list[str]()
    stream = waiting_in(name, place)
    async with anyio.create_task_group() as group:
        group.start_soon(read_all, stream, ended)
        await place.reached.wait()
        await stream.aclose()
        assert place.stopped == 1
    assert ended == ["closed"]
    await stream.aclose()
    with pytest.raises(StreamClosedError, match="without a result"):
        _ = stream.result


@pytest.mark.parametrize("name", PLACES)
async def test_whoever_is_cancelled_stops_the_turn(name: str) -> None:
    place, ended = Place(), list[str]()
    stream = waiting_in(name, place)
    async with anyio.create_task_group() as group:
        group.start_soon(read_all, stream, ended)
        await place.reached.wait()
        group.cancel_scope.cancel()
    assert (place.stopped, ended) == (1, [])
    assert await is_closed(stream)


async def test_a_synchronous_tool_is_left_in_its_thread() -> None:
    begun, go_on, finished = threading.Event(), threading.Event(), threading.Event()

    @tool
    def work() -> None:
        """Works."""
        begun.set()
        go_on.wait(30)
        finished.set()

    script, ended = Scripted(CALL), list[str]()
    stream = Agent(script, tools=[work]).astream("go")
    async with anyio.create_task_group() as group:
        group.start_soon(read_all, stream, ended)
        await to_thread.run_sync(begun.wait)
        await stream.aclose()
    assert ended == ["closed"]
    assert not finished.is_set()
    go_on.set()
    assert await to_thread.run_sync(finished.wait, 30)
    assert len(script.requests) == 1


class SlowStore:
    """A store that can be stopped half way, if anything can."""

    def __init__(self) -> None:
        self.begun, self.go_on = anyio.Event(), anyio.Event()
        self.saved: list[Message] = []

    def load(self, session: str, /) -> SessionHistory:
        return SessionHistory()

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        self.begun.set()
        for message in messages:
            self.saved.append(message)
            await self.go_on.wait()


@pytest.mark.parametrize("how", ["aclose", "cancel"])
async def test_a_turn_that_is_being_saved_is_saved_whole(how: str) -> None:
    store, ended = SlowStore(), list[str]()
    stream = Agent(Scripted("done"), sessions=store).astream("go", session="s")
    scope = anyio.CancelScope()

    async def reader() -> None:
        with scope:
            await read_all(stream, ended)

    async with anyio.create_task_group() as group:
        group.start_soon(reader)
        await store.begun.wait()
        if how == "aclose":
            group.start_soon(stream.aclose)
        else:
            scope.cancel()
        await anyio.wait_all_tasks_blocked()
        assert [message.content for message in store.saved] == ["go"]
        store.go_on.set()
    assert [message.content for message in store.saved] == ["go", "done"]
    assert ended == (["closed"] if how == "aclose" else [])
    assert await is_closed(stream)


class TestBetweenItems:
    async def test_the_model_call_is_closed(self) -> None:
        script = Scripted(["a", "b"])
        stream = Agent(script).astream("go")
        await anext(stream)
        assert script.open == 1
        await stream.aclose()
        assert (script.open, script.abandoned) == (0, 1)
        assert await is_closed(stream)

    async def test_the_loop_that_closes_it_itself_is_told_too(self) -> None:
        script, shown = Scripted(["a", "b"]), list[Any]()
        stream = Agent(script).astream("go")

        async def read() -> None:
            async for item in stream:
                shown.append(item)
                await stream.aclose()

        with pytest.raises(StreamClosedError):
            await read()
        assert (len(shown), script.open) == (1, 0)

    async def test_one_that_was_never_read_is_closed_too(self) -> None:
        script = Scripted()
        stream = Agent(script).astream("go")
        await stream.aclose()
        assert await is_closed(stream)
        assert script.requests == []

    async def test_after_its_result_it_is_done(self) -> None:
        stream = Agent(Scripted("a")).astream("go")
        items = [item async for item in stream]
        await stream.aclose()
        assert [item async for item in stream] == []
        assert stream.result is items[-1]

    async def test_from_another_task_too(self) -> None:
        script = Scripted(["a", "b"])
        stream = Agent(script).astream("go")
        await anext(stream)
        async with anyio.create_task_group() as group:
            group.start_soon(stream.aclose)
        assert (script.open, script.abandoned) == (0, 1)

    @pytest.mark.parametrize("items", [0, 1, 2, 3])
    async def test_any_number_of_times(self, items: int) -> None:
        script = Scripted(["a", "b"])
        stream = Agent(script).astream("go")
        for _ in range(items):
            await anext(stream)
        for _ in range(3):
            await stream.aclose()
        assert script.open == 0
        if items < 3:
            assert await is_closed(stream)

    async def test_each_of_several_at_once_returns_when_it_is_closed(self) -> None:
        closing, go_on, closed = anyio.Event(), anyio.Event(), list[bool]()

        class Slow:
            async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                try:
                    yield TextDelta("a")
                    yield ModelEnd()
                finally:
                    closing.set()
                    await go_on.wait()
                    closed.append(True)

        stream = Agent(Slow()).astream("go")
        await anext(stream)
        seen: list[int] = []

        async def close() -> None:
            await stream.aclose()
            seen.append(len(closed))

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(close)
            await closing.wait()
            await anyio.wait_all_tasks_blocked()
            assert seen == []
            assert await is_closed(stream)
            go_on.set()
        assert seen == [1, 1, 1]

    async def test_leaving_the_context_closes_it_with_an_exception_too(self) -> None:
        script = Scripted(["a", "b"])

        async def read() -> None:
            async with Agent(script).astream("go") as stream:
                async for _ in stream:
                    raise LookupError("mine")

        with pytest.raises(LookupError, match="mine"):
            await read()
        assert (script.open, script.abandoned) == (0, 1)


class TestFromInside:
    async def test_the_turns_own_step_cannot_close_it(self) -> None:
        streams: list[AgentStream[Any]] = []

        async def predicate(messages: Any, text: str) -> bool:
            await streams[0].aclose()
            return True

        config = StructuredOutputConfig(final_turn_only=True, should_finalize=predicate)
        script = Scripted(["hm"], ANSWER)
        agent = Agent(script, structured_output=config, response_format=Ticket)
        streams.append(agent.astream("go"))
        await anext(streams[0])
        with pytest.raises(StreamError, match="from inside its own step"):
            await anext(streams[0])
        assert await is_closed(streams[0])
        assert len(script.requests) == 1

    async def test_a_tool_may_and_is_stopped_itself(self) -> None:
        streams: list[AgentStream[Any]] = []
        after: list[str] = []

        @tool
        async def work() -> None:
            """Works."""
            await streams[0].aclose()
            after.append("went on")

        script = Scripted(CALL)
        streams.append(Agent(script, tools=[work]).astream("go"))
        items = [await anext(streams[0])]
        assert await is_closed(streams[0])
        assert len(items) == 1
        assert (after, len(script.requests)) == ([], 1)
