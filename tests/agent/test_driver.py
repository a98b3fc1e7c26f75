"""The driver: does what the machine asks, and tells it what came of it."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from finalturn import (
    AgentResult,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ProviderError,
    SessionError,
    SessionHistory,
    StreamChunk,
    StructuredOutputConfig,
    TextDelta,
    Usage,
    tool,
)
from finalturn._agent.driver import Driver
from finalturn._response_format import output_of
from finalturn.providers import Scripted
from tests.agent._parts import Counting, Ticket, texts, turn_of

pytestmark = pytest.mark.anyio

SPENT = Usage(input_tokens=5)


class Closing:
    """A provider that fails when it is closed, and perhaps before."""

    def __init__(self, *steps: ModelEvent | BaseException, on_close: BaseException) -> None:
        self.steps = steps
        self.on_close = on_close

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        try:
            for step in self.steps:
                if isinstance(step, BaseException):
                    raise step
                yield step
        finally:
            await checkpoint()
            raise self.on_close


def driver(provider: Any, **parts: Any) -> Driver:
    return Driver(turn_of(provider, **parts))


async def to_the_end(one: Driver) -> list[Any]:
    items: list[Any] = []
    while not items or not isinstance(items[-1], AgentResult):
        items.append(await one.next())
    return items


async def test_nothing_is_done_before_it_is_asked_for() -> None:
    provider = Counting(*texts("a", "b"))
    one = driver(provider)
    await anyio.wait_all_tasks_blocked()
    assert provider.reads == 0
    assert (await one.next(), provider.reads) == (StreamChunk("a"), 1)
    await anyio.wait_all_tasks_blocked()
    assert provider.reads == 1
    assert (await one.next(), provider.reads) == (StreamChunk("b"), 2)
    assert isinstance(await one.next(), AgentResult)
    assert (provider.reads, provider.closed) == (3, 1)


async def test_all_that_a_step_shows_comes_before_what_it_does() -> None:
    ran: list[str] = []

    @tool
    def act(name: str) -> None:
        """Acts."""
        ran.append(name)

    script = Scripted([Scripted.call("act", {"name": "x"}), Scripted.call("act", {"name": "y"})], "done")
    one = driver(script, tools=[act])
    for _ in range(2):
        item = await one.next()
        assert isinstance(item, StreamChunk)
        assert item.tool_calls
        assert ran == []
    item = await one.next()
    assert isinstance(item, StreamChunk)
    assert item.tool_message is not None
    assert sorted(ran) == ["x", "y"]
    assert len(script.requests) == 1
    await one.aclose()


async def test_asking_for_more_than_there_is_is_a_mistake() -> None:
    one = driver(Scripted("a"))
    await to_the_end(one)
    with pytest.raises(AssertionError, match="asks for nothing in phase done"):
        await one.next()


class TestUsage:
    async def test_it_is_that_of_the_calls_that_are_complete(self) -> None:
        one = driver(Scripted(["a", SPENT]))
        assert one.usage == Usage()
        await one.next()
        assert one.usage == Usage()
        await one.next()
        assert one.usage == SPENT

    async def test_an_error_of_the_provider_carries_it(self) -> None:
        @tool
        def act() -> None:
            """Acts."""

        one = driver(Scripted([Scripted.call("act"), SPENT], ProviderError("down")), tools=[act])
        with pytest.raises(ProviderError, match="down") as caught:
            await to_the_end(one)
        assert caught.value.usage == SPENT + Usage(unreported_calls=1)

    async def test_what_the_failed_call_had_used_is_added_once(self) -> None:
        @tool
        def act() -> None:
            """Acts."""

        error = ProviderError("down")
        error.usage = Usage(output_tokens=1)
        for _ in range(2):
            one = driver(Scripted([Scripted.call("act"), SPENT], error), tools=[act])
            with pytest.raises(ProviderError):
                await to_the_end(one)
            assert error.usage == SPENT + Usage(output_tokens=1)

    async def test_a_call_that_could_not_begin_counts_too(self) -> None:
        class Down:
            def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                raise ProviderError("down")

        with pytest.raises(ProviderError) as caught:
            await driver(Down()).next()
        assert caught.value.usage == Usage(unreported_calls=1)

    async def test_an_error_of_a_provider_elsewhere_in_the_turn_carries_it_too(self) -> None:
        def predicate(messages: Any, text: str) -> bool:
            raise ProviderError("asked another model")

        config = StructuredOutputConfig(final_turn_only=True, should_finalize=predicate)
        one = driver(Scripted(["hm", SPENT]), structured_output=config, output=output_of(Ticket))
        with pytest.raises(ProviderError, match="another model") as caught:
            await to_the_end(one)
        assert caught.value.usage == SPENT


class TestFailures:
    @pytest.mark.parametrize(
        "error", [LookupError("mine"), KeyboardInterrupt(), ProviderError("x")], ids=repr
    )
    async def test_what_the_provider_raises_is_raised_unchanged(self, error: BaseException) -> None:
        script = Scripted(["a", error])
        one = driver(script)
        await one.next()
        with pytest.raises(type(error)) as caught:
            await one.next()
        assert caught.value is error
        assert script.open == 0

    async def test_what_a_provider_raises_when_it_is_called_is_raised_unchanged(self) -> None:
        class Failing:
            def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                raise LookupError("mine")

        with pytest.raises(LookupError, match="mine"):
            await driver(Failing()).next()

    async def test_garbage_closes_the_provider(self) -> None:
        garbage: Any = None
        provider = Counting(TextDelta("a"), garbage, ModelEnd())
        one = driver(provider)
        await one.next()
        with pytest.raises(ProviderError, match="yielded None;"):
            await one.next()
        assert (provider.reads, provider.closed) == (2, 1)

    async def test_a_fault_of_the_machine_itself_closes_the_provider(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        provider = Counting(*texts("a", "b"))
        one = driver(provider)
        await one.next()

        def fail(item: object) -> Any:
            raise ZeroDivisionError

        monkeypatch.setattr(one, "_feed", fail)
        with pytest.raises(ZeroDivisionError):
            await one.next()
        assert provider.closed == 1


class TestClosing:
    async def test_a_finished_answer_counts_however_its_connection_closes(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG, "finalturn")
        one = driver(Closing(*texts("a"), on_close=OSError("zq7xsentinel")))
        result = (await to_the_end(one))[-1]
        assert result.content == "a"
        records = [record.getMessage() for record in caplog.records if record.name == "finalturn"]
        assert records == ["a model call could not be closed (OSError)"]
        assert "zq7xsentinel" not in caplog.text

    async def test_closing_does_not_hide_why_a_call_failed(self) -> None:
        with pytest.raises(ProviderError, match="down"):
            await driver(Opening(Failed())).next()

    async def test_leaving_early_does_not_fail_either(self) -> None:
        one = driver(Closing(*texts("a", "b"), on_close=OSError("closing")))
        await one.next()
        await one.aclose()

    async def test_a_cancellation_stays_one(self) -> None:
        hanging = Hanging(on_close=OSError("closing"))
        async with anyio.create_task_group() as group:
            group.start_soon(driver(Opening(hanging)).next)
            await hanging.waiting.wait()
            group.cancel_scope.cancel()
        assert hanging.left == 1

    async def test_it_may_be_closed_any_number_of_times_at_any_time(self) -> None:
        provider = Counting(*texts("a", "b"))
        one = driver(provider)
        await one.aclose()
        one = driver(provider)
        await one.next()
        await one.aclose()
        await one.aclose()
        assert (provider.reads, provider.closed) == (1, 1)

    async def test_a_step_that_is_thrown_away_awaits_nothing(self) -> None:
        """As happens to a task whose event loop is gone: awaiting anything then is an error of its own."""
        hanging = Hanging(on_close=AssertionError("it was closed"))
        config = StructuredOutputConfig(final_turn_only=True, should_finalize=wait_forever)
        asks = {"structured_output": config, "output": output_of(Ticket)}
        for one in (
            driver(Opening(hanging)),
            driver(Scripted("a"), system_prompt=wait_forever),
            driver(Scripted([]), **asks),
        ):
            step = one.next()
            step.send(None)
            step.close()
        assert hanging.left == 1


async def wait_forever(*given: object) -> Any:
    await anyio.sleep_forever()


class Hanging:
    """An answer that never comes."""

    def __init__(self, on_close: BaseException) -> None:
        self.on_close = on_close
        self.waiting = anyio.Event()
        self.left = 0

    def __aiter__(self) -> Hanging:
        return self

    async def __anext__(self) -> ModelEvent:
        self.waiting.set()
        try:
            return await wait_forever()  # type: ignore[no-any-return]
        finally:
            self.left += 1

    async def aclose(self) -> None:
        raise self.on_close


class Failed:
    """An answer that fails, and fails again when it is closed."""

    def __aiter__(self) -> Failed:
        return self

    async def __anext__(self) -> ModelEvent:
        raise ProviderError("down")

    async def aclose(self) -> None:
        raise OSError("closing")


class Opening:
    """A provider of one answer."""

    def __init__(self, answer: AsyncIterator[ModelEvent]) -> None:
        self.answer = answer

    def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        return self.answer


class TestGarbage:
    """An exception leads to the frames of the turn. If these led back to it, all that they hold, such as
    connections, would live until a garbage collection."""

    @pytest.mark.parametrize("anyio_backend", ["asyncio"])
    @pytest.mark.parametrize(
        "fail",
        [
            lambda: {"provider": Scripted(["a", raise_mine])},
            lambda: {"provider": Scripted(raise_mine)},
            lambda: {"provider": Scripted("a"), "system_prompt": raise_mine},
            lambda: {"provider": Scripted("a"), "sessions": Store(), "session": "s"},
        ],
        ids=["stream", "call", "prompt", "store"],
    )
    async def test_none_is_left_by_a_turn_that_fails(self, fail: Callable[[], Any]) -> None:
        one = driver(**fail())
        gc.collect()
        gc.disable()
        try:
            gone = weakref.ref(one)
            with suppress(Mine, SessionError):
                await to_the_end(one)
                raise AssertionError("it did not fail")
            del one
            assert gone() is None
        finally:
            gc.enable()


class Mine(Exception):
    pass


def raise_mine(*given: object) -> Any:
    raise Mine


class Store:
    def load(self, session: str, /) -> SessionHistory:
        return SessionHistory((Message.user("before"),), 1)

    async def append(self, session: str, messages: Any, version: int, /) -> None:
        raise Mine


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_provider_may_leave_a_timeout_that_it_held_open(anyio_backend: str) -> None:
    """Not asked for, and on trio not possible; where it works, its end must not be disturbed."""

    class Timed:
        def __init__(self) -> None:
            self.scopes: list[anyio.CancelScope] = []

        async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
            with anyio.fail_after(60) as scope:
                self.scopes.append(scope)
                yield TextDelta("a")
                await checkpoint()
                yield ModelEnd()

    provider = Timed()
    await to_the_end(driver(provider))
    (scope,) = provider.scopes
    scope.cancel()
    await checkpoint()
    assert not scope.cancelled_caught
