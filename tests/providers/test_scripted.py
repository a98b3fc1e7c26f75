"""Scripted: each kind of item, on each kind of provider, and what it tells a test."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import anyio
import pytest

from finalturn.core.errors import ConfigurationError, FinalturnError, ProviderError
from finalturn.core.messages import Message, ToolCall
from finalturn.core.model import (
    Capabilities,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn.core.protocols import Provider, StreamingProvider
from finalturn.core.result import Usage
from finalturn.providers._scripted import Scripted

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest((Message.user("Hi"),))
USAGE = Usage(input_tokens=3, output_tokens=2, total_tokens=5)


async def events(provider: StreamingProvider, request: ModelRequest = REQUEST) -> list[ModelEvent]:
    stream = provider.stream(request)
    if isinstance(stream, AsyncIterator):
        return [event async for event in stream]
    return list(stream)


async def reply(provider: Provider, request: ModelRequest = REQUEST) -> ModelResponse:
    response = provider.complete(request)
    return response if isinstance(response, ModelResponse) else await response


class TestItems:
    async def test_a_text_is_one_piece_and_the_end_is_added(self) -> None:
        assert await events(Scripted("Hello")) == [TextDelta("Hello"), ModelEnd("stop")]

    async def test_a_sequence_is_several_pieces(self) -> None:
        assert (await events(Scripted(["Hel", "lo"])))[:2] == [TextDelta("Hel"), TextDelta("lo")]

    async def test_pieces_cuts_a_text(self) -> None:
        provider = Scripted(Scripted.pieces("abc"), Scripted.pieces("abc", 2))
        assert (await events(provider))[:3] == [TextDelta(letter) for letter in "abc"]
        assert (await events(provider))[:2] == [TextDelta("ab"), TextDelta("c")]

    async def test_a_call_is_sent_in_pieces(self) -> None:
        assert await events(Scripted(["Ok", Scripted.call("f", {"a": 1}), ToolCall("g", id="x")])) == [
            TextDelta("Ok"),
            ToolCallDelta(0, "call_0_0", "f"),
            ToolCallDelta(0, arguments='{"a'),
            ToolCallDelta(0, arguments='":1}'),
            ToolCallDelta(1, "x", "g"),
            ToolCallDelta(1, arguments="{"),
            ToolCallDelta(1, arguments="}"),
            ModelEnd("tool_calls"),
        ]

    async def test_a_call_can_be_malformed(self) -> None:
        for item in (Scripted.call("f", '{"a": tr'), ToolCall("f", error="not JSON")):
            (call,) = (await reply(Scripted(item))).tool_calls
            assert (call.name, call.arguments) == ("f", {})
            assert call.error is not None

    async def test_a_call_without_arguments_has_no_pieces_of_them(self) -> None:
        assert await events(Scripted(Scripted.call("f", ""))) == [
            ToolCallDelta(0, "call_0_0", "f"),
            ModelEnd("tool_calls"),
        ]

    async def test_calls_of_different_answers_have_different_ids(self) -> None:
        provider = Scripted(Scripted.call("f"), Scripted.call("f"))
        ids = [(await reply(provider)).tool_calls[0].id for _ in range(2)]
        assert ids == ["call_0_0", "call_1_0"]

    async def test_without_native_tools_a_call_is_text(self) -> None:
        provider = Scripted(
            ["Ok ", Scripted.call("f", {"a": 1})], capabilities=Capabilities(native_tools=False)
        )
        assert await events(provider) == [
            TextDelta("Ok "),
            TextDelta('<tool_call>{"name": "f", "arguments": {"a":1}}</tool_call>'),
            ModelEnd("stop"),
        ]

    async def test_model_events_are_sent_as_they_are(self) -> None:
        sent: list[ModelEvent] = [
            ReasoningDelta("hm"),
            TextDelta("a"),
            ToolCallDelta(None, "c", "f", "{}"),
            ModelEnd("length", USAGE),
        ]
        assert await events(Scripted(sent)) == sent
        assert (await events(Scripted(sent[2])))[-1] == ModelEnd("tool_calls")
        assert (await events(Scripted(Scripted.reasoning("hm"))))[0] == ReasoningDelta("hm")

    async def test_usage_is_that_of_the_item_else_of_the_provider(self) -> None:
        other = Usage(input_tokens=1, total_tokens=1)
        provider = Scripted("a", ["a", other], [other, ModelEnd("length")], usage=USAGE)
        ends = [(await events(provider))[-1] for _ in range(3)]
        assert ends == [ModelEnd("stop", USAGE), ModelEnd("stop", other), ModelEnd("length", other)]

    async def test_a_response_plays_as_its_parts(self) -> None:
        response = ModelResponse("text", "thought", (ToolCall("f", id="c"),), "tool_calls", USAGE)
        assert (await events(Scripted(response)))[:2] == [ReasoningDelta("thought"), TextDelta("text")]
        assert await reply(Scripted(response)) == response
        assert await events(Scripted(ModelResponse())) == [ModelEnd("stop")]

    async def test_an_exception_is_raised_at_its_place(self) -> None:
        error = ProviderError("gone", status=503)
        stream = Scripted(["a", error, "b"]).stream(REQUEST)
        assert await anext(stream) == TextDelta("a")
        with pytest.raises(ProviderError) as caught:
            await anext(stream)
        assert caught.value is error

    async def test_a_cut_stream_has_no_end(self) -> None:
        assert await events(Scripted(["a", Scripted.CUT, "b"])) == [TextDelta("a")]

    async def test_a_cut_whole_reply_fails(self) -> None:
        for provider in (Scripted(Scripted.CUT), Scripted(["a", Scripted.CUT])):
            with pytest.raises(ProviderError, match="broke off"):
                await reply(provider)

    async def test_a_pause_comes_to_its_end(self) -> None:
        pause = Scripted.pause(0)
        assert await events(Scripted(["a", pause, "b"])) == [TextDelta("a"), TextDelta("b"), ModelEnd("stop")]
        assert (await reply(Scripted([pause, "b"]).whole_reply(sync=True))).content == "b"

    @pytest.mark.parametrize("wrong", [None, 3, [None], ["a", {}], b"bytes", {"a": 1}])
    async def test_what_is_no_item_is_refused(self, wrong: Any) -> None:
        with pytest.raises(ConfigurationError, match=r"item \d of scripted model call 1 is a"):
            Scripted("a", wrong)

    async def test_what_a_function_returns_is_checked_when_it_is_called(self) -> None:
        def answer(request: ModelRequest) -> Any:
            return [None]

        with pytest.raises(ConfigurationError, match="item 0 of scripted model call 0 is a NoneType"):
            await events(Scripted(answer))


class TestFunctions:
    async def test_a_function_of_the_request_answers_it(self) -> None:
        def echo(request: ModelRequest) -> list[str]:
            return ["You said: ", request.messages[-1].content]

        assert (await reply(Scripted(echo))).content == "You said: Hi"

    async def test_functions_tell_and_hold_back(self) -> None:
        started, go_on = anyio.Event(), anyio.Event()
        provider = Scripted([started.set, go_on.wait, "Done"])
        answers: list[ModelResponse] = []

        async def ask() -> None:
            answers.append(await provider.complete(REQUEST))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await started.wait()
            assert (provider.open, answers) == (1, [])
            go_on.set()
        assert answers[0].content == "Done"
        assert (provider.open, provider.abandoned) == (0, 0)

    async def test_a_synchronous_kind_waits_in_its_thread(self) -> None:
        go_on = threading.Event()
        provider = Scripted([go_on.wait, "Done"]).whole_reply(sync=True)
        with ThreadPoolExecutor(1) as threads:
            answer = threads.submit(provider.complete, REQUEST)
            go_on.set()
            assert cast(ModelResponse, answer.result()).content == "Done"

    async def test_a_synchronous_kind_refuses_what_must_be_awaited(self) -> None:
        class Awaitable:
            def __await__(self) -> Iterator[None]:
                yield

        for hook in (anyio.sleep_forever, Awaitable):
            with pytest.raises(ConfigurationError, match="nothing here can await"):
                await events(Scripted([hook]).sync_stream())


class TestKinds:
    async def test_a_scripted_streams_and_answers_whole(self) -> None:
        provider = Scripted()
        assert isinstance(provider, StreamingProvider)
        assert isinstance(provider, Provider)

    @pytest.mark.parametrize("sync", [False, True])
    async def test_a_whole_reply_cannot_stream(self, sync: bool) -> None:
        script = Scripted(["a", "b", Scripted.call("f")], capabilities=Capabilities(images=True))
        provider = script.whole_reply(sync=sync)
        assert not isinstance(provider, StreamingProvider)
        assert getattr(provider, "capabilities", None) == Capabilities(images=True)
        assert await reply(provider) == ModelResponse(
            "ab", tool_calls=(ToolCall("f", id="call_0_0"),), finish_reason="tool_calls"
        )
        assert script.requests == [REQUEST]
        assert script.open == 0

    async def test_a_synchronous_stream_is_a_plain_iterator(self) -> None:
        script = Scripted(["a", Scripted.pause(0), list, "b"])
        stream = script.sync_stream().stream(REQUEST)
        assert isinstance(stream, Iterator)
        assert list(stream) == [TextDelta("a"), TextDelta("b"), ModelEnd("stop")]


class TestTheScript:
    async def test_answers_are_taken_in_order_and_requests_kept(self) -> None:
        provider = Scripted("one", "two")
        assert provider.requests == []
        later = ModelRequest((), call=1)
        assert (await reply(provider)).content == "one"
        assert (await reply(provider, later)).content == "two"
        assert provider.requests == [REQUEST, later]

    async def test_a_stream_that_is_never_read_takes_nothing(self) -> None:
        provider = Scripted("one")
        await cast(AsyncGenerator[ModelEvent, None], provider.stream(REQUEST)).aclose()
        assert provider.requests == []

    async def test_running_out_says_so(self) -> None:
        provider = Scripted("one")
        await reply(provider)
        with pytest.raises(AssertionError, match=r"holds 1 model call\(s\), and call 2 was made") as caught:
            await events(provider)
        assert isinstance(caught.value, FinalturnError)
        assert len(provider.requests) == 2

    async def test_then_answers_every_later_call(self) -> None:
        provider = Scripted("one", then="more")
        assert [(await reply(provider)).content for _ in range(3)] == ["one", "more", "more"]

    async def test_a_reader_that_leaves_is_counted(self) -> None:
        provider = Scripted(["a", "b"], then=["a", ValueError("x")])
        stream = cast(AsyncGenerator[ModelEvent, None], provider.stream(REQUEST))
        await anext(stream)
        assert (provider.open, provider.abandoned) == (1, 0)
        await stream.aclose()
        assert (provider.open, provider.abandoned) == (0, 1)
        with pytest.raises(ValueError, match="x"):
            await events(provider)
        assert (provider.open, provider.abandoned) == (0, 1)

    async def test_a_reader_that_stops_at_the_end_is_not(self) -> None:
        provider = Scripted("a")
        stream = cast(AsyncGenerator[ModelEvent, None], provider.stream(REQUEST))
        while not isinstance(await anext(stream), ModelEnd):
            pass
        await stream.aclose()
        assert provider.abandoned == 0

    async def test_a_cancelled_reader_is_counted(self) -> None:
        provider = Scripted(["a", anyio.sleep_forever])
        with anyio.CancelScope() as scope:
            async for _ in provider.stream(REQUEST):
                scope.cancel()
        assert (provider.open, provider.abandoned) == (0, 1)

    async def test_any_number_of_threads_take_each_answer_once(self) -> None:
        script = Scripted(*map(str, range(200)))
        provider = script.whole_reply(sync=True)
        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(provider.complete, [REQUEST] * 200))
        texts = {cast(ModelResponse, answer).content for answer in answers}
        assert texts == {str(n) for n in range(200)}
