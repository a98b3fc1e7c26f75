"""Scripted: what it is made of, which kinds of provider it is, and what it tells a test."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest

from finalturn._core.errors import ConfigurationError
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
from finalturn._providers.scripted.provider import Scripted

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
    async def test_it_makes_calls_from_objects_and_from_text(self) -> None:
        script = [
            Scripted.call("f", {"a": 1}),
            Scripted.call("g", '{"a', id="x"),
            Scripted.call("h"),
            Scripted.call("i", ""),
        ]
        found = [event for event in await events(Scripted(script)) if isinstance(event, ToolCallDelta)]
        assert [(event.id, event.name) for event in found if event.name] == [
            ("call_0_0", "f"),
            ("x", "g"),
            ("call_0_2", "h"),
            ("call_0_3", "i"),
        ]
        texts = ["".join(event.arguments for event in found if event.index == n) for n in range(4)]
        assert texts == ['{"a":1}', '{"a', "{}", ""]

    async def test_a_call_can_be_malformed(self) -> None:
        for item in (Scripted.call("f", '{"a": tr'), ToolCall("f", error="not JSON")):
            (call,) = (await reply(Scripted(item))).tool_calls
            assert (call.name, call.arguments) == ("f", {})
            assert call.error is not None

    async def test_it_makes_reasoning_pauses_and_cuts(self) -> None:
        provider = Scripted([Scripted.reasoning("hm"), Scripted.pause(0), "a", Scripted.CUT, "b"])
        assert await events(provider) == [ReasoningDelta("hm"), TextDelta("a")]

    async def test_pieces_cuts_a_text(self) -> None:
        assert Scripted.pieces("abc") == ["a", "b", "c"]
        assert Scripted.pieces("abc", 2) == ["ab", "c"]
        assert Scripted.pieces("") == []

    async def test_without_native_tools_a_call_is_text(self) -> None:
        provider = Scripted(Scripted.call("f"), capabilities=Capabilities(native_tools=False))
        assert (await reply(provider)).tool_calls == ()
        assert provider.capabilities == Capabilities(native_tools=False)
        assert Scripted().capabilities == Capabilities()

    async def test_usage_is_that_of_each_call_that_does_not_say(self) -> None:
        other = Usage(input_tokens=1, total_tokens=1)
        provider = Scripted("a", ["a", other], then="b", usage=USAGE)
        assert [(await reply(provider)).usage for _ in range(3)] == [USAGE, other, USAGE]
        assert (await reply(Scripted("a"))).usage is None

    async def test_a_response_is_answered_as_it_is(self) -> None:
        response = ModelResponse("text", "thought", (ToolCall("f", id="c"),), "tool_calls", USAGE)
        assert await reply(Scripted(response)) == response

    @pytest.mark.parametrize("wrong", [None, 3, [None], ["a", {}], b"bytes", {"a": 1}])
    async def test_what_is_no_item_is_refused_at_once(self, wrong: Any) -> None:
        with pytest.raises(ConfigurationError, match=r"item \d of scripted model call 1 is (a|None)"):
            Scripted("a", wrong)


class TestFunctions:
    async def test_a_function_of_the_request_answers_it(self) -> None:
        def echo(request: ModelRequest) -> list[str]:
            return ["You said: ", request.messages[-1].content]

        assert (await reply(Scripted(echo))).content == "You said: Hi"

    async def test_what_it_returns_is_checked_when_it_is_called(self) -> None:
        def answer(request: ModelRequest) -> Any:
            return [None]

        with pytest.raises(ConfigurationError, match="item 0 of scripted model call 0 is None"):
            await events(Scripted(answer))

    async def test_inside_a_sequence_a_function_takes_nothing(self) -> None:
        called: list[str] = []
        assert (await reply(Scripted([lambda: called.append("x"), "a"]))).content == "a"
        assert called == ["x"]


class TestKinds:
    async def test_a_scripted_streams_and_answers_whole(self) -> None:
        provider = Scripted("a", "b")
        assert isinstance(provider, StreamingProvider)
        assert isinstance(provider, Provider)
        assert await events(provider) == [TextDelta("a"), ModelEnd("stop")]
        assert await reply(provider) == ModelResponse("b")

    @pytest.mark.parametrize("sync", [False, True])
    async def test_a_whole_reply_plays_the_same_script(self, sync: bool) -> None:
        script = Scripted(["a", "b", Scripted.call("f")], capabilities=Capabilities(images=True))
        provider = script.whole_reply(sync=sync)
        assert not isinstance(provider, StreamingProvider)
        assert getattr(provider, "capabilities", None) == Capabilities(images=True)
        answer = provider.complete(REQUEST)
        assert isinstance(answer, ModelResponse) is sync
        assert (answer if isinstance(answer, ModelResponse) else await answer) == ModelResponse(
            "ab", tool_calls=(ToolCall("f", id="call_0_0"),), finish_reason="tool_calls"
        )
        assert script.requests == [REQUEST]
        assert script.open == 0

    async def test_a_synchronous_stream_is_a_plain_iterator(self) -> None:
        script = Scripted(["a", "b"])
        stream = script.sync_stream().stream(REQUEST)
        assert isinstance(stream, Iterator)
        assert list(stream) == [TextDelta("a"), TextDelta("b"), ModelEnd("stop")]
        assert script.requests == [REQUEST]


class TestWhatItTells:
    async def test_answers_are_taken_in_order_and_requests_kept(self) -> None:
        provider = Scripted("one", "two", then="more")
        later = ModelRequest((), call=1)
        texts = [(await reply(provider, request)).content for request in (REQUEST, later, later, later)]
        assert texts == ["one", "two", "more", "more"]
        assert provider.requests == [REQUEST, later, later, later]

    async def test_running_out_is_a_failed_assertion(self) -> None:
        provider = Scripted()
        with pytest.raises(AssertionError, match=r"holds 0 model call\(s\), and call 1 was made"):
            await events(provider)
        assert provider.requests == [REQUEST]

    async def test_answers_that_are_open_and_abandoned_are_counted(self) -> None:
        provider = Scripted(["a", "b"])
        stream = cast(AsyncGenerator[ModelEvent, None], provider.stream(REQUEST))
        await anext(stream)
        assert (provider.open, provider.abandoned) == (1, 0)
        await stream.aclose()
        assert (provider.open, provider.abandoned) == (0, 1)

    async def test_its_kinds_share_it_between_threads(self) -> None:
        script = Scripted(*map(str, range(200)))
        kinds = [script.whole_reply(sync=True), script.whole_reply(sync=True)]

        def ask(n: int) -> str:
            return cast(ModelResponse, kinds[n % 2].complete(REQUEST)).content

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(ask, range(200))) == {str(n) for n in range(200)}
