"""What a turn has used, however its model calls end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    AgentStream,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ProviderError,
    StreamClosedError,
    TextDelta,
    Usage,
    tool,
)
from finalturn.providers import Fallback, Scripted

pytestmark = pytest.mark.anyio

SPENT = Usage(3, total_tokens=3)
ONE = Usage(unreported_calls=1)
CALL = [Scripted.call("work"), SPENT]


@tool
def work() -> str:
    """Works."""
    return "worked"


def down(usage: Usage | None = None) -> ProviderError:
    error = ProviderError("down")
    error.usage = usage
    return error


def asked(*calls: Any) -> AgentStream[None]:
    return Agent(Scripted(*calls), tools=[work]).astream("go")


async def to_the_text(stream: AgentStream[Any]) -> None:
    async for item in stream:
        if getattr(item, "content", ""):
            return


async def test_a_call_that_is_under_way_is_not_counted_yet() -> None:
    stream = asked(CALL, ["one", "two"])
    await to_the_text(stream)
    assert stream.usage == SPENT
    await stream.aclose()
    assert stream.usage == SPENT + ONE
    await stream.aclose()
    assert stream.usage == SPENT + ONE


async def test_a_call_that_is_closed_while_it_is_waited_for() -> None:
    waiting = anyio.Event()
    stream = asked(CALL, [waiting.set, anyio.sleep_forever])

    async def read() -> None:
        with pytest.raises(StreamClosedError):
            await to_the_text(stream)

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        await waiting.wait()
        await stream.aclose()
    assert stream.usage == SPENT + ONE


async def test_a_call_that_times_out() -> None:
    stream = asked(CALL, ["a", anyio.sleep_forever])
    await to_the_text(stream)
    with anyio.move_on_after(0) as scope:
        await anext(stream)
    assert scope.cancelled_caught
    assert stream.usage == SPENT + ONE


@pytest.mark.parametrize(
    ("ending", "usage"),
    [
        (down(), ONE),
        (down(Usage(5)), Usage(5)),
        (ValueError("broken"), ONE),
        (Scripted.CUT, ONE),
    ],
)
async def test_a_call_that_fails(ending: Any, usage: Usage) -> None:
    stream = asked(CALL, ["a", ending])
    await to_the_text(stream)
    with pytest.raises(Exception) as caught:  # noqa: PT011  # whatever it is
        await anext(stream)
    assert stream.usage == SPENT + usage
    if isinstance(caught.value, ProviderError):
        assert caught.value.usage == stream.usage


async def test_a_call_that_cannot_be_begun() -> None:
    class Refuses:
        def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
            raise ProviderError("no")

    stream = Agent(Refuses()).astream("go")
    with pytest.raises(ProviderError):
        await anext(stream)
    assert stream.usage == ONE


async def test_a_whole_reply_that_was_not_read_to_its_end_has_reported() -> None:
    class Whole:
        def complete(self, request: ModelRequest, /) -> ModelResponse:
            return ModelResponse("text", usage=SPENT)

    stream = Agent(Whole()).astream("go")
    await anext(stream)
    await stream.aclose()
    assert stream.usage == SPENT


async def test_a_call_whose_closing_is_cancelled_has_reported() -> None:
    closing = anyio.Event()

    class Slow:
        async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
            try:
                yield TextDelta("a")
                yield ModelEnd(usage=SPENT)
            finally:
                closing.set()
                await anyio.sleep_forever()

    stream = Agent(Slow()).astream("go")
    await anext(stream)
    async with anyio.create_task_group() as group:

        async def read() -> None:
            await anext(stream)

        group.start_soon(read)
        await closing.wait()
        group.cancel_scope.cancel()
    assert stream.usage == SPENT


async def test_calls_that_a_fallback_passed_over() -> None:
    first, second = Scripted(then=down()), Scripted(then=down(Usage(5)))
    last = Scripted(["a", SPENT])
    result = await Agent(Fallback(first, second, last)).arun("go")
    assert result.usage == ONE + Usage(5) + SPENT

    stream = Agent(Fallback(first, second)).astream("go")
    with pytest.raises(ProviderError) as caught:
        await anext(stream)
    assert stream.usage == caught.value.usage == ONE + Usage(5)

    nested = Agent(Fallback(Fallback(first, first), Scripted(["a", SPENT])))
    assert (await nested.arun("go")).usage == ONE + ONE + SPENT

    left = Agent(Fallback(first, Scripted(["a", "b"]))).astream("go")
    await anext(left)
    await left.aclose()
    assert left.usage.unreported_calls == 2


def test_a_synchronous_stream_that_is_left() -> None:
    with Agent(Scripted(["a", "b"])).stream("go") as stream:
        next(stream)
    assert stream.usage == ONE
