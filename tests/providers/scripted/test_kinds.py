"""The kinds of provider that play a script: what each does with its steps."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import anyio
import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._core.messages import Message, ToolCall
from finalturn._core.model import (
    Capabilities,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import Usage
from finalturn._providers.scripted.items import Cut, Item, Pause, Step, Word, steps
from finalturn._providers.scripted.kinds import (
    ScriptedSyncStream,
    ScriptedSyncWholeReply,
    ScriptedWholeReply,
    play,
)
from finalturn._providers.scripted.script import Script

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest((Message.user("Hi"),))
USAGE = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
CAPABILITIES = Capabilities(images=True)


class Played:
    """One answer, and the kinds that play it."""

    def __init__(self, *items: Item) -> None:
        self.script: Script[ModelRequest, tuple[Item, ...]] = Script([items], None)

    def take(self, request: ModelRequest) -> Iterator[Step]:
        number, items = self.script.take(request)
        return steps(items, number, native_tools=True, usage=None)

    def stream(self) -> AsyncGenerator[ModelEvent, None]:
        return cast("AsyncGenerator[ModelEvent, None]", play(self.script, self.take, REQUEST))

    def sync_stream(self) -> Generator[ModelEvent, None, None]:
        found = ScriptedSyncStream(CAPABILITIES, self.script, self.take).stream(REQUEST)
        return cast("Generator[ModelEvent, None, None]", found)

    def whole(self) -> ScriptedWholeReply:
        return ScriptedWholeReply(CAPABILITIES, self.script, self.take)

    def sync_whole(self) -> ScriptedSyncWholeReply:
        return ScriptedSyncWholeReply(CAPABILITIES, self.script, self.take)

    @property
    def counters(self) -> tuple[int, int]:
        return self.script.open, self.script.abandoned


async def test_each_is_a_provider_and_says_what_it_can() -> None:
    played = Played()
    whole: list[Provider] = [played.whole(), played.sync_whole()]
    streaming: StreamingProvider = ScriptedSyncStream(CAPABILITIES, played.script, played.take)
    assert [isinstance(kind, StreamingProvider) for kind in whole] == [False, False]
    assert not isinstance(streaming, Provider)
    assert [kind.capabilities for kind in (played.whole(), played.sync_whole())] == [CAPABILITIES] * 2
    assert ScriptedSyncStream(CAPABILITIES, played.script, played.take).capabilities is CAPABILITIES


class TestStreams:
    async def test_steps_are_yielded_waited_for_and_called(self) -> None:
        called: list[str] = []

        async def later() -> None:
            await anyio.lowlevel.checkpoint()
            called.append("async")

        played = Played("a", Pause(0), lambda: called.append("sync"), later, "b")
        assert [event async for event in played.stream()] == [
            TextDelta("a"),
            TextDelta("b"),
            ModelEnd("stop"),
        ]
        assert called == ["sync", "async"]
        assert played.counters == (0, 0)

    async def test_the_same_without_an_event_loop(self) -> None:
        called: list[str] = []
        played = Played("a", Pause(0), lambda: called.append("sync"), "b")
        assert list(played.sync_stream()) == [TextDelta("a"), TextDelta("b"), ModelEnd("stop")]
        assert called == ["sync"]
        assert played.counters == (0, 0)

    async def test_nothing_is_taken_before_the_first_event_is_asked_for(self) -> None:
        played = Played("a")
        await played.stream().aclose()
        played.sync_stream().close()
        assert played.script.requests == []
        assert next(played.sync_stream()) == TextDelta("a")
        assert played.script.requests == [REQUEST]

    async def test_a_reader_that_leaves_is_counted(self) -> None:
        played = Played("a", "b")
        stream = played.stream()
        await anext(stream)
        assert played.counters == (1, 0)
        await stream.aclose()
        assert played.counters == (0, 1)
        played = Played("a", "b")
        iterator = played.sync_stream()
        next(iterator)
        assert played.counters == (1, 0)
        iterator.close()
        assert played.counters == (0, 1)

    async def test_a_reader_that_stops_at_the_end_is_not(self) -> None:
        played = Played("a")
        stream = played.stream()
        assert [await anext(stream), await anext(stream)] == [TextDelta("a"), ModelEnd("stop")]
        await stream.aclose()
        assert played.counters == (0, 0)
        played = Played("a")
        iterator = played.sync_stream()
        assert [next(iterator), next(iterator)] == [TextDelta("a"), ModelEnd("stop")]
        iterator.close()
        assert played.counters == (0, 0)

    async def test_what_comes_after_the_end_is_unread_again(self) -> None:
        played = Played(ModelEnd(), "late")
        stream = played.stream()
        assert [await anext(stream), await anext(stream)] == [ModelEnd(), TextDelta("late")]
        await stream.aclose()
        assert played.counters == (0, 1)

    async def test_a_failure_and_a_cut_are_no_leaving(self) -> None:
        failing = Played("a", ValueError("x"))
        with pytest.raises(ValueError, match="x"):
            _ = [event async for event in failing.stream()]
        cut = Played("a", Cut(), "b")
        assert list(cut.sync_stream()) == [TextDelta("a")]
        assert failing.counters == cut.counters == (0, 0)

    async def test_a_cancelled_reader_is_counted(self) -> None:
        played = Played("a", anyio.sleep_forever)
        with anyio.CancelScope() as scope:
            async for _ in played.stream():
                scope.cancel()
        assert played.counters == (0, 1)

    async def test_what_must_be_awaited_is_refused_without_an_event_loop(self) -> None:
        played = Played("a", anyio.sleep_forever)
        with pytest.raises(ConfigurationError, match="nothing here can await"):
            list(played.sync_stream())
        assert played.counters == (0, 0)


class TestWholeReplies:
    @pytest.mark.parametrize("sync", [False, True])
    async def test_events_are_put_together(self, sync: bool) -> None:
        items: list[Item] = [
            *(ReasoningDelta("h"), "a", ReasoningDelta("m"), Pause(0), list, "b"),
            *(ToolCall("f", {"a": 1}, "x"), ToolCallDelta(1, "y", "g", "{"), ToolCallDelta(1, arguments="}")),
            ModelEnd("tool_calls", USAGE),
        ]
        played = Played(*items)
        assert await complete(played, sync) == ModelResponse(
            "ab", "hm", (ToolCall("f", {"a": 1}, "x"), ToolCall("g", id="y")), "tool_calls", USAGE
        )
        assert played.script.requests == [REQUEST]
        assert played.counters == (0, 0)

    @pytest.mark.parametrize("sync", [False, True])
    async def test_nothing_is_an_empty_reply(self, sync: bool) -> None:
        assert await complete(Played(), sync) == ModelResponse()

    @pytest.mark.parametrize("reason", ["length", "tool_calls"])
    async def test_a_call_whose_arguments_stop_short_has_an_error(self, reason: str) -> None:
        end = ModelEnd("length" if reason == "length" else "tool_calls")
        (call,) = (await complete(Played(ToolCallDelta(0, "c", "f", '{"a": tr'), end), False)).tool_calls
        assert (call.name, call.arguments) == ("f", {})
        assert call.error is not None
        assert ("cut" in call.error) is (reason == "length")

    @pytest.mark.parametrize("sync", [False, True])
    @pytest.mark.parametrize("before", [[], ["a"]])
    async def test_a_cut_one_fails(self, sync: bool, before: list[Word]) -> None:
        played = Played(*before, Cut())
        with pytest.raises(ProviderError, match="broke off") as caught:
            await complete(played, sync)
        assert caught.value.retryable
        assert played.counters == (0, 0)

    @pytest.mark.parametrize("sync", [False, True])
    async def test_an_exception_of_the_script_is_raised(self, sync: bool) -> None:
        error = ProviderError("gone", status=503)
        with pytest.raises(ProviderError) as caught:
            await complete(Played("a", error), sync)
        assert caught.value is error

    async def test_functions_tell_and_hold_back(self) -> None:
        started, go_on = anyio.Event(), anyio.Event()
        played = Played(started.set, go_on.wait, "Done")
        answers: list[ModelResponse] = []

        async def ask() -> None:
            answers.append(await complete(played, False))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await started.wait()
            assert (played.counters, answers) == ((1, 0), [])
            go_on.set()
        assert answers == [ModelResponse("Done")]

    async def test_a_synchronous_one_waits_in_its_thread(self) -> None:
        started, go_on = threading.Event(), threading.Event()
        played = Played(started.set, go_on.wait, "Done")
        with ThreadPoolExecutor(1) as threads:
            answer = threads.submit(played.sync_whole().complete, REQUEST)
            assert started.wait(10)
            assert played.counters == (1, 0)
            go_on.set()
            assert answer.result() == ModelResponse("Done")


async def complete(played: Played, sync: bool) -> ModelResponse:
    return played.sync_whole().complete(REQUEST) if sync else await played.whole().complete(REQUEST)
