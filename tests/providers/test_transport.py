"""Calls over real connections: what is asked again, what is not, and that every connection comes back."""

from __future__ import annotations

import gc
import gzip
import logging
import traceback
import zlib
from collections.abc import AsyncGenerator
from typing import Any, Literal

import anyio
import httpx2
import pytest

from finalturn.core.errors import ProviderError
from finalturn.core.messages import Message
from finalturn.core.model import ModelEnd, ModelEvent, ModelRequest, TextDelta, ToolCallDelta
from finalturn.core.result import Usage
from finalturn.providers import OpenAIChat, _retry, _transport
from tests.providers._server import CLOSE, END, HOLD, Reply, chunk, document, head, serving, stream
from tests.providers._wire import DONE, STOP, call, delta, event, usage

KEY = "sk-SENTINEL"
ASK = ModelRequest([Message.user("hi")])
ANSWER = stream(delta("ok") + STOP + DONE)
EXPECTED = [TextDelta("ok"), ModelEnd("stop")]
OVERLOADED = document({"error": {"message": f"busy {KEY}"}}, 503)


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_retry, "FIRST_DELAY", 0.0)


class Pieces(httpx2.AsyncByteStream):
    """A body that counts what is read of it."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        self.pieces = pieces
        self.reads = 0
        self.closed = False

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        for piece in self.pieces:
            self.reads += 1
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def aclose(self) -> None:
        self.closed = True


async def ask(url: str, **options: Any) -> tuple[list[ModelEvent], ProviderError | None]:
    """What a stream gives, and how it fails."""
    events: list[ModelEvent] = []
    async with OpenAIChat("m", base_url=url, api_key=KEY, **options) as provider:
        try:
            async for item in provider.stream(ASK):
                events.append(item)  # noqa: PERF401 (what came before a failure counts)
        except ProviderError as error:
            return events, error
    return events, None


@pytest.mark.anyio
class TestAskingAgain:
    @pytest.mark.parametrize(
        "failed",
        [
            OVERLOADED,
            document({}, 429, "Retry-After: 0"),
            document({}, 429, "Retry-After-Ms: 0"),
            document({}, 408),
            document({}, 500),
            [CLOSE],
            [head(), CLOSE],
            stream(event({"error": {"message": "overloaded"}})),
            stream(),
        ],
    )
    async def test_while_nothing_has_been_given_out(self, failed: Reply) -> None:
        async with serving(failed, failed, ANSWER) as server:
            assert await ask(server.url) == (EXPECTED, None)
        assert len(server.requests) == 3
        assert len({request.body for request in server.requests}) == 1

    async def test_only_so_often(self) -> None:
        async with serving(OVERLOADED) as server:
            events, error = await ask(server.url, max_retries=1)
        assert events == []
        assert error is not None
        assert (error.status, error.retryable) == (503, True)
        assert len(server.requests) == 2

    @pytest.mark.parametrize("status", [400, 401, 404, 422, 307])
    async def test_not_when_it_would_be_the_same(self, status: int) -> None:
        async with serving(document({}, status)) as server:
            _, error = await ask(server.url)
        assert error is not None
        assert error.status == status
        assert len(server.requests) == 1

    async def test_not_when_the_provider_wants_a_long_pause(self) -> None:
        async with serving(document({}, 429, "Retry-After: 3600")) as server:
            _, error = await ask(server.url)
        assert error is not None
        assert error.retryable
        assert len(server.requests) == 1

    @pytest.mark.parametrize("first", [delta("Hello"), delta(reasoning="hm"), call(0, "a", "f", "{}")])
    @pytest.mark.parametrize("rest", [[CLOSE], [END], [chunk(event({"error": "x"})), END]])
    async def test_not_after_anything_has_been_given_out(self, first: bytes, rest: Reply) -> None:
        async with serving([head() + chunk(first), *rest], ANSWER) as server:
            events, error = await ask(server.url)
        assert len(events) == 1
        assert error is not None
        assert error.retryable
        assert len(server.requests) == 1

    async def test_where_nobody_listens(self) -> None:
        async with serving(ANSWER) as server:
            url = server.url
        events, error = await ask(url)
        assert events == []
        assert error is not None
        assert (error.status, error.retryable) == (None, True)
        assert "could not be reached" in str(error)

    async def test_a_pause_can_be_cancelled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        paused = anyio.Event()

        async def sleep(seconds: float) -> None:
            assert seconds == 50
            paused.set()
            await anyio.sleep_forever()

        monkeypatch.setattr(anyio, "sleep", sleep)
        async with (
            serving(document({}, 503, "Retry-After: 50")) as server,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(ask, server.url)
            await paused.wait()
            tasks.cancel_scope.cancel()
        assert len(server.requests) == 1


@pytest.mark.anyio
class TestEnds:
    async def test_done_ends_it_though_the_connection_stays_open(self) -> None:
        async with serving([head() + chunk(delta("ok") + STOP + DONE), HOLD]) as server:
            assert await ask(server.url) == (EXPECTED, None)
            await server.until(lambda: server.open == 0)

    async def test_a_finished_answer_does_not_wait_long_for_done(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(_transport, "AFTER_FINISH", 0.05)
        async with serving([head() + chunk(delta("ok") + STOP), HOLD]) as server:
            assert await ask(server.url) == (EXPECTED, None)
            await server.until(lambda: server.open == 0)

    async def test_usage_may_come_after_the_finish(self) -> None:
        late = anyio.Event()
        last = chunk(usage(prompt_tokens=1, completion_tokens=1) + DONE) + END
        async with (
            serving([head() + chunk(delta("ok") + STOP), late, last]) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            events = provider.stream(ASK)
            assert await anext(events) == TextDelta("ok")
            late.set()
            assert [item async for item in events] == [ModelEnd("stop", Usage(1, 0, 1, 0, 2))]

    @pytest.mark.parametrize("rest", [[CLOSE], [chunk(b"data: {"), CLOSE], [b"junk\r\n", CLOSE]])
    async def test_a_finished_answer_is_one_though_the_connection_breaks(self, rest: Reply) -> None:
        async with serving([head() + chunk(delta("ok") + STOP), *rest]) as server:
            assert await ask(server.url) == (EXPECTED, None)
            assert len(server.requests) == 1

    async def test_a_server_may_hang_up_instead_of_ending(self) -> None:
        plain = head(chunked=False) + delta("ok") + STOP
        async with serving([plain, CLOSE]) as server:
            assert await ask(server.url) == (EXPECTED, None)

    async def test_calls_of_an_answer_that_broke_off_are_followed_by_an_error(self) -> None:
        async with serving([head() + chunk(call(0, "a", "f", "{}")), END]) as server:
            events, error = await ask(server.url)
        assert events == [ToolCallDelta(0, "a", "f", "{}")]
        assert error is not None
        assert "broke off" in str(error)

    async def test_a_silent_server_is_given_up(self) -> None:
        async with serving([head(), HOLD]) as server:
            _, error = await ask(server.url, read_timeout=0.05, max_retries=0)
            assert error is not None
            assert "said nothing" in str(error)
            await server.until(lambda: server.open == 0)


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
            httpx2.AsyncClient(limits=limits) as client,
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
class TestBodies:
    @pytest.mark.parametrize("encoding", ["gzip", "deflate"])
    async def test_a_compressed_one_is_read(self, encoding: str) -> None:
        plain = delta("ok") + STOP + DONE
        packed = gzip.compress(plain) if encoding == "gzip" else zlib.compress(plain)
        pieces = b"".join(chunk(packed[at : at + 7]) for at in range(0, len(packed), 7))
        headers = head(200, "text/event-stream", f"Content-Encoding: {encoding}")
        async with serving([headers + pieces + END]) as server:
            assert await ask(server.url) == (EXPECTED, None)

    async def test_one_that_cannot_be_decompressed_fails(self) -> None:
        headers = {"Content-Encoding": "gzip"}
        reply = httpx2.MockTransport(
            lambda request: httpx2.Response(200, headers=headers, stream=Pieces(b"no gzip at all"))
        )
        async with httpx2.AsyncClient(transport=reply) as client:
            events, error = await ask("http://x/v1", http_client=client)
        assert events == []
        assert error is not None
        assert "decompressed" in str(error)

    async def test_one_that_comes_in_small_pieces_is_read(self) -> None:
        body = (delta("ok") + STOP + DONE).replace(b"\n", b"\r\n")
        async with serving([head(), *(chunk(body[at : at + 1]) for at in range(len(body))), END]) as server:
            assert await ask(server.url) == (EXPECTED, None)

    async def test_the_body_of_an_error_is_bounded_in_size_and_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(_transport, "AFTER_FINISH", 0.05)
        for rest in ([HOLD], [CLOSE]):
            async with serving([head(400, "text/plain") + chunk(b"too bad"), *rest]) as server:
                _, error = await ask(server.url)
                assert error is not None
                assert (error.status, error.detail) == (400, "too bad")
                await server.until(lambda: server.open == 0)
        async with serving([head(400, "text/plain") + chunk(b"x" * 200_000) + END]) as server:
            _, error = await ask(server.url)
            assert error is not None
            assert error.status == 400


@pytest.mark.anyio
async def test_the_key_is_in_no_message_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving(
        OVERLOADED, document({"error": {"message": f"Wrong key: {KEY}", "code": KEY}}, 401)
    ) as server:
        _, error = await ask(server.url)
    assert error is not None
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert error.detail == "Wrong key: [key]"
    shown = [str(error), repr(error), "".join(traceback.format_exception(error)), str(vars(error))]
    shown += [record.getMessage() for record in caplog.records]
    assert not [text for text in shown if "SENTINEL" in text]


@pytest.mark.anyio
async def test_another_exception_is_not_hidden() -> None:
    def broken(request: httpx2.Request) -> httpx2.Response:
        raise ZeroDivisionError("a fault of the client's own")

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(broken)) as client:
        provider = OpenAIChat("m", base_url="http://x/v1", http_client=client)
        with pytest.raises(ZeroDivisionError):
            await provider.complete(ASK)


@pytest.mark.anyio
async def test_a_fault_while_waiting_for_the_end_is_not_hidden_either() -> None:
    body = Pieces(delta("ok") + STOP, ZeroDivisionError("a fault of the client's own"))
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200, stream=body))
    async with httpx2.AsyncClient(transport=transport) as client:
        provider = OpenAIChat("m", base_url="http://x/v1", http_client=client)
        with pytest.raises(ZeroDivisionError):
            await provider.complete(ASK)


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
