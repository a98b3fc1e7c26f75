"""One answer as a whole, from a provider of any kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from finalturn import (
    Message,
    ModelEnd,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ProviderSwitch,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from finalturn._adapters.events import WholeReply
from finalturn._adapters.whole import ask_whole, collect
from finalturn.providers import Scripted
from tests.agent._parts import Counting, texts

pytestmark = pytest.mark.anyio

REQUEST = ModelRequest([Message.user("hi")])
SWITCHES = (ProviderSwitch(0, "a", "b", "down", 503, "overloaded"),)
CALL = Scripted.call("look", {"a": 1}, id="c1")


async def events(*given: Any) -> AsyncIterator[Any]:
    for event in given:
        yield event


def script() -> Scripted:
    return Scripted(then=[Scripted.reasoning("hm"), "Hel", "lo", CALL, Usage(3)])


@pytest.mark.parametrize(
    "provider",
    [script(), script().whole_reply(), script().whole_reply(sync=True), script().sync_stream()],
    ids=["streaming", "whole", "sync whole", "sync stream"],
)
async def test_every_kind_of_provider_gives_the_same(provider: Any) -> None:
    assert await ask_whole(provider, REQUEST) == ModelResponse(
        "Hello", "hm", (ToolCall("look", {"a": 1}, "c1"),), "tool_calls", Usage(3)
    )


async def test_a_whole_reply_is_asked_for_where_there_is_one() -> None:
    class Both:
        async def complete(self, request: ModelRequest, /) -> ModelResponse:
            return ModelResponse("whole")

        def stream(self, request: ModelRequest, /) -> Any:
            raise AssertionError("it is not asked to stream")

    assert (await ask_whole(Both(), REQUEST)).content == "whole"


class TestCollecting:
    async def test_all_that_the_end_says_is_kept(self) -> None:
        found = await collect(events(TextDelta("a"), ModelEnd("refusal", Usage(1), SWITCHES)))
        assert found == ModelResponse("a", finish_reason="refusal", usage=Usage(1), switches=SWITCHES)

    async def test_a_whole_reply_is_what_it_is(self) -> None:
        reply = ModelResponse("a")
        assert await collect(events(WholeReply(reply))) is reply

    async def test_a_call_that_the_token_limit_cut_says_so(self) -> None:
        found = await collect(events(ToolCallDelta(0, "c", "f", '{"a'), ModelEnd("length")))
        assert found.tool_calls[0].error is not None

    async def test_it_is_closed_after_its_end(self) -> None:
        counting = Counting(*texts("a"), TextDelta("more"))
        assert (await ask_whole(counting, REQUEST)).content == "a"
        assert (counting.reads, counting.closed) == (2, 1)

    async def test_one_that_breaks_off_has_failed(self) -> None:
        with pytest.raises(ProviderError, match="broke off") as caught:
            await collect(events(ReasoningDelta("hm")))
        assert caught.value.retryable

    async def test_what_is_no_event_has_failed_and_is_closed(self) -> None:
        counting: Any = Counting(TextDelta("a"), None)  # type: ignore[arg-type]  # pyright: ignore
        with pytest.raises(ProviderError, match="yielded None"):
            await ask_whole(counting, REQUEST)
        assert counting.closed == 1

    async def test_one_that_cannot_be_closed_is_read_all_the_same(self) -> None:
        class Bare:
            def __aiter__(self) -> Bare:
                return self

            async def __anext__(self) -> Any:
                return ModelEnd()

        assert await collect(Bare()) == ModelResponse()


class TestLeaving:
    async def test_a_stream_that_waits_is_closed(self) -> None:
        begun = anyio.Event()
        found = Scripted(["a", begun.set, anyio.Event().wait])
        async with anyio.create_task_group() as group:
            group.start_soon(collect, found.stream(REQUEST))
            await begun.wait()
            group.cancel_scope.cancel()
        assert (found.open, found.abandoned) == (0, 1)

    async def test_it_may_await_while_it_closes(self) -> None:
        class Waiting:
            closed = False

            def __aiter__(self) -> Waiting:
                return self

            async def __anext__(self) -> Any:
                scope.cancel()
                await anyio.sleep_forever()

            async def aclose(self) -> None:
                await anyio.lowlevel.checkpoint()
                self.closed = True

        waiting = Waiting()
        with anyio.CancelScope() as scope:
            await collect(waiting)
        assert scope.cancelled_caught
        assert waiting.closed

    async def test_a_coroutine_that_is_thrown_away_awaits_nothing(self) -> None:
        class Waiting:
            closed = False

            def __aiter__(self) -> Waiting:
                return self

            async def __anext__(self) -> Any:
                await anyio.Event().wait()

            async def aclose(self) -> None:
                self.closed = True

        waiting = Waiting()
        coroutine: Any = collect(waiting)
        coroutine.send(None)
        coroutine.close()
        assert not waiting.closed
