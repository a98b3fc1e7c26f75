"""A turn as an asynchronous stream: a stream that nobody closes."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator

import anyio
import pytest

from finalturn import Agent, AgentStream, ModelEvent, ModelRequest, TextDelta
from finalturn.providers import Scripted

pytestmark = pytest.mark.anyio


class TestPlainBreak:
    """The stream is dropped: nothing more is read, and what is open is closed by the event loop."""

    async def test_what_was_open_is_closed(self) -> None:
        closed = anyio.Event()

        class Provider:
            def __init__(self) -> None:
                self.reads = 0

            async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                try:
                    for _ in range(10):
                        self.reads += 1
                        yield TextDelta("a")
                finally:
                    await anyio.lowlevel.checkpoint()
                    closed.set()

        provider = Provider()
        async for _ in Agent(provider).astream("go"):
            break
        gc.collect()
        with anyio.fail_after(30):
            await closed.wait()
        assert provider.reads == 1

    async def test_one_that_was_not_begun_or_has_ended_holds_nothing(self) -> None:
        agent = Agent(Scripted("a"))
        agent.astream("go")
        stream = agent.astream("go")
        assert [item async for item in stream]
        del stream
        gc.collect()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_break_at_the_very_end_of_the_loop_closes_what_was_open(backend: str) -> None:
    script = Scripted(["a", "b"])

    async def main() -> None:
        async for _ in Agent(script).astream("go"):
            break

    anyio.run(main, backend=backend)
    gc.collect()
    assert (script.open, script.abandoned) == (0, 1)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_stream_may_outlive_its_loop(backend: str) -> None:
    script = Scripted(["a", "b"])

    async def main() -> AgentStream[None]:
        stream = Agent(script).astream("go")
        await anext(stream)
        return stream

    stream = anyio.run(main, backend=backend)
    assert script.open == 0
    del stream
    gc.collect()
    assert script.abandoned == 1
