"""A turn for synchronous callers."""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    AgentResult,
    AgentStream,
    ConfigurationError,
    ModelEvent,
    ModelRequest,
    ProviderError,
    StreamChunk,
    StreamClosedError,
    StreamError,
    SyncStream,
    Usage,
    tool,
)
from finalturn._agent.portal import Portal, portal
from finalturn._agent.sync import drain, refuse_async_handler, run_blocking
from finalturn.providers import Scripted
from tests.agent._parts import Counting, texts, turn_of

user: ContextVar[str] = ContextVar("user", default="nobody")


async def handle(text: str) -> None:
    raise AssertionError("it is never begun")


class AsyncHandler:
    async def __call__(self, text: str, /) -> None:
        raise AssertionError("it is never begun")


class TestStreams:
    def test_give_the_items_and_end(self) -> None:
        stream = Agent(Scripted(["a", "b"])).stream("go")
        assert isinstance(stream, SyncStream)
        assert iter(stream) is stream
        items = list(stream)
        assert items[:-1] == [StreamChunk("a"), StreamChunk("b")]
        assert stream.result is items[-1]
        assert list(stream) == []

    def test_read_nothing_between_two_items(self) -> None:
        provider = Counting(*texts("a", "b", "c"))
        stream = Agent(provider).stream("go")
        assert provider.reads == 0
        for reads in (1, 2, 3):
            next(stream)
            portal().call(anyio.wait_all_tasks_blocked(), copy_context())
            assert provider.reads == reads
        stream.close()
        assert provider.closed == 1

    def test_have_no_result_before_their_end(self) -> None:
        stream = Agent(Scripted("a")).stream("go")
        next(stream)
        with pytest.raises(StreamError, match="there is no result"):
            _ = stream.result
        stream.close()

    def test_know_their_usage_at_any_time(self) -> None:
        spent = Usage(input_tokens=5)
        stream = Agent(Scripted(["a", spent])).stream("go")
        assert stream.usage == Usage()
        list(stream)
        assert stream.usage == spent

    @pytest.mark.parametrize("items", [0, 1, 2, 3])
    def test_may_be_closed_any_number_of_times(self, items: int) -> None:
        script = Scripted(["a", "b"])
        stream = Agent(script).stream("go")
        for _ in range(items):
            next(stream)
        for _ in range(3):
            stream.close()
        assert script.open == 0
        if items < 3:
            with pytest.raises(StreamClosedError):
                next(stream)

    def test_close_with_their_context(self) -> None:
        script = Scripted(["a", "b"])
        with Agent(script).stream("go") as stream:
            for _ in stream:
                break
        assert (script.open, script.abandoned) == (0, 1)

    def test_can_be_closed_while_another_thread_waits(self) -> None:
        begun = threading.Event()

        def wait() -> Any:
            begun.set()
            return anyio.sleep_forever()

        script = Scripted(["a", wait])
        stream = Agent(script).stream("go")
        assert next(stream) == StreamChunk("a")
        with ThreadPoolExecutor(1) as threads:
            reading = threads.submit(next, stream)
            assert begun.wait(30)
            with pytest.raises(StreamError, match="already being read"):
                next(stream)
            stream.close()
            with pytest.raises(StreamClosedError, match="ended without a result"):
                reading.result(30)
        assert (script.open, script.abandoned) == (0, 1)

    def test_can_be_closed_while_code_of_the_turn_runs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Both use the stream's context, which only one can be in at a time."""
        begun, go_on, asked = threading.Event(), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            go_on.wait(30)

        stream = Agent(Scripted(["a", work, "b"])).stream("go")
        next(stream)
        real = Portal._call_soon  # pyright: ignore[reportPrivateUsage]

        def soon(self: Portal, step: Any) -> None:
            real(self, step)
            asked.set()

        with ThreadPoolExecutor(2) as threads:
            reading = threads.submit(next, stream)
            assert begun.wait(30)
            monkeypatch.setattr(Portal, "_call_soon", soon)
            closing = threads.submit(stream.close)
            assert asked.wait(30)
            go_on.set()
            closing.result(30)
            # The item was ready already, or the stream was closed first.
            assert reading.exception(30) is None or isinstance(reading.exception(), StreamClosedError)

    def test_that_are_dropped_free_what_is_open(self) -> None:
        script, closed = Scripted(["a", "b"]), threading.Event()

        class Provider:
            async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                try:
                    async for event in script.stream(request):
                        yield event
                finally:
                    closed.set()

        for _ in Agent(Provider()).stream("go"):
            break
        gc.collect()
        assert closed.wait(30)

    def test_raise_what_the_turn_raises(self) -> None:
        stream = Agent(Scripted(["a", ProviderError("down")])).stream("go")
        next(stream)
        with pytest.raises(ProviderError, match="down"):
            next(stream)
        with pytest.raises(StreamClosedError, match="without a result: its turn failed"):
            next(stream)

    def test_are_closed_by_an_interrupt(self, monkeypatch: pytest.MonkeyPatch) -> None:
        script = Scripted(["a", "b"])
        stream = Agent(script).stream("go")
        next(stream)
        real = Portal.call
        interrupts = [KeyboardInterrupt()]

        def call(self: Portal, work: Any, context: Any) -> Any:
            if interrupts:
                work.close()
                raise interrupts.pop()
            return real(self, work, context)

        monkeypatch.setattr(Portal, "call", call)
        with pytest.raises(KeyboardInterrupt):
            next(stream)
        assert (script.open, script.abandoned) == (0, 1)

    def test_outlive_their_loop(self) -> None:
        script, one = Scripted(["a", "b"]), Portal()
        stream = SyncStream(AgentStream[None](turn_of(script)), one)
        next(stream)
        one.stop()
        assert (script.open, script.abandoned) == (0, 1)
        with pytest.raises(StreamClosedError, match="has ended"):
            next(stream)
        stream.close()


class TestContext:
    def test_is_that_of_the_place_where_the_stream_was_made(self) -> None:
        seen: list[str] = []

        @tool
        def look() -> None:
            """Looks."""
            seen.append(user.get())

        @tool
        async def look_async() -> None:
            """Looks."""
            seen.append(user.get())

        calls = [Scripted.call("look"), Scripted.call("look_async")]
        user.set("u1")
        stream = Agent(Scripted(calls, "done"), tools=[look, look_async]).stream("go")
        user.set("u2")
        list(stream)
        assert seen == ["u1", "u1"]

    def test_is_one_for_all_items(self) -> None:
        """A provider may set a variable before a yield and reset it after."""

        class Provider:
            async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                token = user.set("provider")
                for event in texts(user.get()):
                    yield event
                user.reset(token)

        items = list(Agent(Provider()).stream("go"))
        assert items[0] == StreamChunk("provider")


class TestHandlers:
    def test_get_all_content_in_order_in_the_callers_thread_before_the_result(self) -> None:
        seen: list[Any] = []

        def take(text: str) -> None:
            seen.append((text, threading.current_thread(), user.get()))
            user.set("handler")

        user.set("u1")
        here = threading.current_thread()
        script = Scripted(["a", Scripted.reasoning("hm"), "b"])
        result = Agent(script).run("go", stream_handler=take)
        assert seen == [("a", here, "u1"), ("b", here, "handler")]
        assert result.content == "ab"

    @pytest.mark.parametrize(
        "handler",
        [handle, partial(handle), AsyncHandler(), AsyncHandler().__call__],
        ids=["function", "partial", "object", "method"],
    )
    def test_that_are_plainly_asynchronous_are_refused_before_anything(self, handler: Any) -> None:
        script = Scripted()
        with pytest.raises(ConfigurationError, match=r"asynchronous.*; use arun\(\)"):
            Agent(script, system_prompt=_fail).run("go", stream_handler=handler)
        assert script.requests == []

    @pytest.mark.parametrize("closable", [True, False])
    def test_that_turn_out_to_be_are_refused_at_their_first_result(self, closable: bool) -> None:
        """Its awaitable is closed, so that nothing warns of it."""

        class Awaitable:
            def __await__(self) -> Iterator[Any]:
                raise AssertionError("it is never awaited")

        def make(text: str) -> object:
            return handle(text) if closable else Awaitable()

        script = Scripted(["a", "b"])
        with pytest.raises(ConfigurationError, match=r"use arun\(\)"):
            Agent(script).run("go", stream_handler=make)
        assert (script.open, script.abandoned) == (0, 1)

    def test_may_return_anything_else(self) -> None:
        assert Agent(Scripted(["a", "b"])).run("go", stream_handler=len).content == "ab"

    def test_that_raise_stop_the_turn(self) -> None:
        script, error = Scripted(["a", "b"]), LookupError("mine")

        def fail(text: str) -> None:
            raise error

        with pytest.raises(LookupError, match="mine") as caught:
            Agent(script).run("go", stream_handler=fail)
        assert caught.value is error
        assert (script.open, script.abandoned) == (0, 1)

    def test_that_are_none_are_fine(self) -> None:
        refuse_async_handler(None)
        refuse_async_handler(print)

    def test_run_blocking_needs_none(self) -> None:
        for handler in (None, len):
            stream = AgentStream[None](turn_of(Scripted("a")))
            assert run_blocking(stream, handler, portal()).content == "a"


@pytest.mark.anyio
class TestDraining:
    async def test_a_handler_is_called_and_awaited_in_order(self) -> None:
        seen: list[str] = []

        async def take(text: str) -> None:
            await anyio.lowlevel.checkpoint()
            seen.append(text)

        result = await drain(AgentStream[None](turn_of(Scripted(["a", "b"]))), take)
        assert isinstance(result, AgentResult)
        assert seen == ["a", "b"]

    async def test_it_may_be_synchronous_or_nothing(self) -> None:
        seen: list[str] = []
        for handler in (seen.append, None):
            assert (await drain(AgentStream[None](turn_of(Scripted(["a", "b"]))), handler)).content == "ab"
        assert seen == ["a", "b"]

    @pytest.mark.parametrize("asynchronous", [True, False])
    async def test_one_that_raises_stops_the_turn(self, asynchronous: bool) -> None:
        script, error = Scripted(["a", "b"]), LookupError("mine")

        def fail(text: str) -> None:
            raise error

        async def fail_later(text: str) -> None:
            raise error

        with pytest.raises(LookupError, match="mine") as caught:
            await drain(AgentStream[None](turn_of(script)), fail_later if asynchronous else fail)
        assert caught.value is error
        assert (script.open, script.abandoned) == (0, 1)

    async def test_one_that_is_cancelled_stops_the_turn(self) -> None:
        script, waiting = Scripted(["a", "b"]), anyio.Event()

        async def take(text: str) -> None:
            waiting.set()
            await anyio.sleep_forever()

        async with anyio.create_task_group() as group:
            group.start_soon(drain, AgentStream[None](turn_of(script)), take)
            await waiting.wait()
            group.cancel_scope.cancel()
        assert (script.open, script.abandoned) == (0, 1)


def _fail() -> str:
    raise AssertionError("the turn has begun")
