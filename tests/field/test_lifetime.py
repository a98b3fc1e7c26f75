"""Turns that are left, cancelled, retried, read from elsewhere, or run beside each other."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import anyio
import httpx2
import pytest

from finalturn import (
    Agent,
    AgentResult,
    Message,
    ProviderError,
    SessionHistory,
    StreamChunk,
    StreamClosedError,
)
from finalturn._providers.http import transport as _transport
from finalturn._testing.scripted_server.items import ServerAnswer
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ScriptedServer
from tests.field._tools import recording
from tests.field._wire import TOOLS, oa, prose, say, tc

pytestmark = pytest.mark.anyio
WHO: contextvars.ContextVar[str] = contextvars.ContextVar("WHO", default="nobody")


async def until(condition: Callable[[], bool]) -> None:
    """Let the other tasks of the loop run until the condition holds."""
    with anyio.fail_after(20):
        while not condition():
            await anyio.lowlevel.checkpoint()


class TestLeaving:
    async def test_leaving_hangs_up_and_asks_nothing_more(self) -> None:
        """101."""
        held = threading.Event()
        with ScriptedServer([say("one "), lambda: held.wait(), say("two")], then="never") as server:
            async with OpenAIChat("x", base_url=server.url) as chat:
                async with Agent(chat).astream("go") as stream:
                    async for item in stream:
                        assert item == StreamChunk("one ")
                        break
                await anyio.to_thread.run_sync(server.wait_until, lambda: server.disconnects == 1)
            assert len(server.requests) == 1
            held.set()

    def test_leaving_a_synchronous_stream_hangs_up_and_asks_nothing_more(self) -> None:
        """101."""
        held = threading.Event()
        with ScriptedServer([say("one "), lambda: held.wait(), say("two")], then="never") as server:
            with Agent(OpenAIChat("x", base_url=server.url)).stream("go") as items:
                assert next(items) == StreamChunk("one ")
            server.wait_until(lambda: server.disconnects == 1)
            assert len(server.requests) == 1
            held.set()

    async def test_turns_that_are_left_do_not_use_up_a_pool_of_two(self) -> None:
        """104."""
        held = threading.Event()
        left: list[ServerAnswer] = [[say("one "), lambda: held.wait()]] * 6
        with ScriptedServer(*left, prose("ok")) as server:
            limits = httpx2.Limits(max_connections=2)
            async with httpx2.AsyncClient(limits=limits) as client:
                agent = Agent(OpenAIChat("x", base_url=server.url, http_client=client))
                for _ in range(6):
                    async with agent.astream("go") as stream:
                        await stream.__anext__()
                assert (await agent.arun("go")).content == "ok"
            held.set()

    async def test_a_turn_that_was_left_keeps_what_it_had_used(self) -> None:
        """104."""
        from finalturn import Usage

        _, tools = recording("f")
        script = Scripted([Scripted.call("f"), Usage(3, total_tokens=3)], ["one", "two"])
        async with Agent(script, tools=tools).astream("go") as stream:
            async for item in stream:
                if isinstance(item, StreamChunk) and item.content:
                    break
        assert stream.usage == Usage(3, total_tokens=3, unreported_calls=1)
        with pytest.raises(StreamClosedError):
            _ = stream.result

    async def test_leaving_at_a_call_starts_nothing(self) -> None:
        """103: nor does anything go on in the background."""
        ran, tools = recording("f")
        script = Scripted([Scripted.call("f"), Scripted.call("f")], then="never")
        async with Agent(script, tools=tools).astream("go") as stream:
            async for item in stream:
                assert isinstance(item, StreamChunk) and item.tool_calls
                break
        for _ in range(10):
            await anyio.lowlevel.checkpoint()
        assert (ran, len(script.requests)) == ([], 1)

    @pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")  # trio says so whenever it happens
    async def test_a_plain_break_reads_nothing_more_and_is_freed_when_collected(self) -> None:
        """106, 110: also when that happens in another context."""
        read: list[str] = []
        script = Scripted(["one", lambda: read.append("two"), "two", "three"], then="never")

        async def leave() -> None:
            async for item in Agent(script).astream("go"):
                assert item == StreamChunk("one")
                break

        token = WHO.set("somebody")
        await leave()
        WHO.reset(token)
        contextvars.Context().run(gc.collect)
        await until(lambda: script.open == 0)
        assert (script.abandoned, read) == (1, [])


class SlowStore:
    """A store whose writing takes as long as a test wants."""

    def __init__(self) -> None:
        self.writing, self.go_on = anyio.Event(), anyio.Event()
        self.kept: list[tuple[Message, ...]] = []
        self.half = 0

    async def load(self, session: str) -> SessionHistory:
        return SessionHistory()

    async def append(self, session: str, messages: Sequence[Message], version: int) -> None:
        self.half += 1
        self.writing.set()
        await self.go_on.wait()
        self.kept.append(tuple(messages))
        self.half -= 1


class TestSaving:  # 105
    async def test_a_turn_that_is_cancelled_while_it_is_saved_is_saved_whole(self) -> None:
        store = SlowStore()
        agent = Agent(Scripted("Hello."), sessions=store)
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: agent.arun("go", session="s"))
            await store.writing.wait()
            group.cancel_scope.cancel()
            store.go_on.set()
        assert store.kept == [(Message.user("go"), Message.assistant("Hello."))]
        assert store.half == 0

    async def test_a_stream_that_is_closed_while_it_is_saved_is_saved_whole(self) -> None:
        store = SlowStore()
        stream = Agent(Scripted("Hello."), sessions=store).astream("go", session="s")
        assert await stream.__anext__() == StreamChunk("Hello.")

        async def read_on() -> None:
            with contextlib.suppress(StreamClosedError):
                await stream.__anext__()

        async with anyio.create_task_group() as group:
            group.start_soon(read_on)
            await store.writing.wait()
            store.go_on.set()
            await stream.aclose()
        assert (len(store.kept), store.half) == (1, 0)

    async def test_one_that_is_left_at_its_last_chunk_is_not_saved_at_all(self) -> None:
        store = SlowStore()
        async with Agent(Scripted("Hello."), sessions=store).astream("go", session="s") as stream:
            assert await stream.__anext__() == StreamChunk("Hello.")
        assert (store.kept, store.half) == ([], 0)


async def in_a_task(step: Callable[[], Awaitable[Any]]) -> Any:
    """Await something in a task of its own."""
    outcome: list[Any] = []

    async def run() -> None:
        try:
            outcome.append(await step())
        except StopAsyncIteration:
            outcome.append(None)
        except StreamClosedError:
            outcome.append("closed")

    async with anyio.create_task_group() as group:
        group.start_soon(run)
    return outcome[0]


class TestReadingFromElsewhere:  # 108, 110
    BODIES = (say("Look. ") + tc(0, "a", "f", "{}") + TOOLS, prose("All ", "well."))

    async def test_each_item_may_be_read_in_a_task_of_its_own(self) -> None:
        ran, tools = recording("f")
        with ScriptedServer(*self.BODIES) as server:
            async with OpenAIChat("x", base_url=server.url) as chat:
                stream = Agent(chat, tools=tools).astream("go")
                items: list[Any] = []
                while (item := await in_a_task(stream.__anext__)) is not None:
                    items.append(item)
        assert [chunk.content for chunk in items[:-1] if chunk.content] == ["Look. ", "All ", "well."]
        assert isinstance(items[-1], AgentResult)
        assert len(ran) == 1

    async def test_it_may_be_closed_from_another(self) -> None:
        script = Scripted(["one", anyio.sleep_forever])
        stream = Agent(script).astream("go")
        await in_a_task(stream.__anext__)
        await in_a_task(stream.aclose)
        assert (script.open, script.abandoned) == (0, 1)
        assert await in_a_task(stream.__anext__) == "closed"

    def test_wait_for_around_each_item_does_no_harm(self) -> None:
        async def main() -> str:
            async with OpenAIChat("x", base_url=server.url) as chat:
                stream = Agent(chat, tools=tools).astream("go")
                while True:
                    item = await asyncio.wait_for(asyncio.ensure_future(stream.__anext__()), 20)
                    if isinstance(item, AgentResult):
                        return item.text

        _, tools = recording("f")
        with ScriptedServer(*self.BODIES) as server:
            assert asyncio.run(main()) == "Look. All well."

    def test_a_step_that_times_out_ends_the_turn_and_leaves_no_scope(self) -> None:
        async def main() -> None:
            script = Scripted(["one", anyio.sleep_forever])
            stream = Agent(script).astream("go")
            await stream.__anext__()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(stream.__anext__(), 0.01)
            assert script.open == 0
            with pytest.raises(StreamClosedError):
                await stream.__anext__()
            task = asyncio.current_task()
            assert task is not None and task.cancelling() == 0

        asyncio.run(main())


@pytest.fixture
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask again at once."""

    def at_once(*given: object, **options: Any) -> float:
        return 0.0

    monkeypatch.setattr(_transport, "retry_delay", at_once)


@pytest.mark.usefixtures("no_delay")
class TestRetries:  # 113, 114
    @pytest.mark.parametrize(
        "start", [say("Hello"), oa({"reasoning_content": "Hm"})], ids=["text", "thought"]
    )
    def test_after_anything_was_shown_the_turn_fails(self, start: bytes) -> None:
        with ScriptedServer([start, ScriptedServer.DROP], then=prose("Hello world")) as server:
            chunks: list[StreamChunk] = []
            with (
                pytest.raises(ProviderError) as caught,
                Agent(OpenAIChat("x", base_url=server.url, max_retries=5)).stream("go") as items,
            ):
                chunks += (item for item in items if isinstance(item, StreamChunk))
            assert len(server.requests) == 1
        assert caught.value.retryable
        assert len(chunks) <= 1

    @pytest.mark.parametrize("start", [b"", oa({"role": "assistant", "content": ""}), b": ping\n\n"])
    def test_before_it_is_asked_again_and_nothing_is_doubled(self, start: bytes) -> None:
        with ScriptedServer([start, ScriptedServer.DROP], prose("Hello", " world")) as server:
            pieces: list[str] = []
            agent = Agent(OpenAIChat("x", base_url=server.url, max_retries=1))
            result = agent.run("go", stream_handler=pieces.append)
            assert len(server.requests) == 2
        assert pieces == ["Hello", " world"]
        assert (result.text, result.model_calls) == ("Hello world", 1)

    def test_a_call_that_was_begun_and_broke_off_runs_once_at_most(self) -> None:
        ran, tools = recording("f")
        with ScriptedServer(
            [tc(0, "a", "f", '{"x":1}'), ScriptedServer.DROP], then=tc(0, "b", "f", '{"x":1}') + TOOLS
        ) as server:
            agent = Agent(OpenAIChat("x", base_url=server.url, max_retries=1), tools=tools, max_iterations=1)
            with contextlib.suppress(ProviderError):
                agent.run("go")
        assert len(ran) <= 1
