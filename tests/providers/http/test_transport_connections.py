"""Every connection comes back, however a call ends."""

from __future__ import annotations

import gc
from typing import Literal

import anyio
import httpx2
import pytest

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelEvent, TextDelta
from finalturn.providers import OpenAIChat
from tests.providers._asking import ANSWER, ASK, EXPECTED, Pieces, ask
from tests.providers._server import END, HOLD, Reply, chunk, document, head, serving, stream
from tests.providers._wire import DONE, STOP, delta


@pytest.mark.anyio
class TestConnections:
    async def test_the_next_call_uses_the_same(self) -> None:
        separately: Reply = [head(), chunk(delta("ok") + STOP + DONE), END]
        async with (
            serving(ANSWER, separately, document({}, 400), ANSWER) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            for _ in range(2):
                assert [item async for item in provider.stream(ASK)] == EXPECTED
            with pytest.raises(ProviderError):
                await provider.complete(ASK)
            assert [item async for item in provider.stream(ASK)] == EXPECTED
        assert server.connections == 1

    async def test_closing_frees_it_at_once(self) -> None:
        async with (
            serving([head() + chunk(delta("a") + delta("b")), HOLD]) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("a")
            await events.aclose()
            await server.until(lambda: server.open == 0)
            with pytest.raises(StopAsyncIteration):
                await anext(events)

    async def test_closing_what_was_never_begun_asks_nothing(self) -> None:
        async with serving(ANSWER) as server, OpenAIChat("m", base_url=server.url) as provider:
            await provider.stream(ASK).aclose()
        assert server.requests == []

    @pytest.mark.parametrize("reply", [[HOLD], [head(), HOLD], [head() + chunk(delta("a")), HOLD]])
    async def test_cancelling_a_wait_frees_it(self, reply: Reply) -> None:
        async with serving(reply) as server:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(ask, server.url)
                await server.until(lambda: len(server.requests) == 1)
                tasks.cancel_scope.cancel()
            await server.until(lambda: server.open == 0)

    async def test_fifty_runs_that_stop_do_not_use_up_a_pool_of_two(self) -> None:
        limits = httpx2.Limits(max_connections=2, max_keepalive_connections=2)
        async with (
            serving([head() + chunk(delta("a") + delta("b")), HOLD]) as server,
            httpx2.AsyncClient(verify=False, limits=limits) as client,
        ):
            provider = OpenAIChat("m", base_url=server.url, http_client=client)

            async def until_cancelled() -> None:
                async for _ in provider.stream(ASK):
                    pass

            async def first_only() -> None:
                events = provider.stream(ASK)
                await anext(events)
                await events.aclose()

            with anyio.fail_after(60):
                for number in range(50):
                    if number % 2:
                        await first_only()
                        continue
                    async with anyio.create_task_group() as tasks:
                        tasks.start_soon(until_cancelled)
                        await server.until(lambda: len(server.requests) == number + 1)  # noqa: B023
                        tasks.cancel_scope.cancel()
            await server.until(lambda: server.open == 0)
            assert server.connections == 50

    async def test_no_scope_is_left_open_between_two_pieces(self) -> None:
        async with (
            serving(stream(delta("a") + delta("b") + STOP + DONE)) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            events = provider.stream(ASK)
            got: list[ModelEvent] = []

            async def step() -> None:
                with anyio.fail_after(20):
                    got.append(await anext(events))

            for _ in range(3):
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(step)
            await events.aclose()
        assert got == [TextDelta("a"), TextDelta("b"), ModelEnd("stop")]


def test_a_stream_that_is_dropped_frees_its_connection() -> None:
    async def main() -> None:
        async with (
            serving([head() + chunk(delta("a") + delta("b")), HOLD]) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            async for _ in provider.stream(ASK):
                break
            gc.collect()
            await server.until(lambda: server.open == 0)

    anyio.run(main)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_one_provider_serves_one_loop_after_the_other(backend: Literal["asyncio", "trio"]) -> None:
    with (
        anyio.from_thread.start_blocking_portal() as portal,
        portal.wrap_async_context_manager(serving(ANSWER)) as server,
    ):
        provider = OpenAIChat("m", base_url=server.url)

        async def main() -> None:
            assert (await provider.complete(ASK)).content == "ok"

        for number in (1, 2):
            anyio.run(main, backend=backend)
            # The pool went with its loop, though nobody closed it.
            portal.call(server.until, lambda: server.open == 0)
            assert server.connections == number


@pytest.mark.anyio
async def test_after_a_break_nothing_more_is_read() -> None:
    body = Pieces(delta("a"), delta("b"), delta("c"))
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, stream=body))
    async with httpx2.AsyncClient(transport=transport) as client:
        events = OpenAIChat("m", base_url="http://x/v1", http_client=client).stream(ASK)
        assert await anext(events) == TextDelta("a")
        await events.aclose()
    assert body.reads == 1
    assert body.closed
