"""Calls over real connections: what is asked again, what is not, and when an answer ends."""

from __future__ import annotations

import gzip
import logging
import traceback
import zlib

import anyio
import anyio.lowlevel
import httpx2
import pytest

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, TextDelta, ToolCallDelta
from finalturn._core.result import Usage
from finalturn._providers.answers import ending as _ending
from finalturn._providers.http import transport as _transport
from finalturn.providers import OpenAIChat
from tests.providers._asking import ANSWER, ASK, EXPECTED, KEY, Pieces, ask
from tests.providers._server import CLOSE, END, HOLD, Reply, chunk, document, head, serving, stream
from tests.providers._wire import DONE, STOP, call, delta, event, usage

OVERLOADED = document({"error": {"message": f"busy {KEY}"}}, 503)


@pytest.fixture(autouse=True)
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transport, "FIRST_DELAY", 0.0)


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

    async def test_at_once_where_the_server_hung_up_without_a_word(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        waits: list[float] = []

        async def pause(seconds: float, failure: ProviderError) -> None:
            waits.append(seconds)

        monkeypatch.setattr(_transport, "FIRST_DELAY", 4.0)
        monkeypatch.setattr(_transport, "_pause", pause)
        async with serving([CLOSE], [CLOSE], ANSWER) as server:
            assert await ask(server.url) == (EXPECTED, None)
        assert waits[0] == 0.0
        assert waits[1] > 0.0

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

    @pytest.mark.parametrize("first", [delta("Hello"), delta(reasoning="hm")])
    @pytest.mark.parametrize("rest", [[CLOSE], [END], [chunk(event({"error": "x"})), END]])
    async def test_not_after_anything_has_been_given_out(self, first: bytes, rest: Reply) -> None:
        async with serving([head() + chunk(first), *rest], ANSWER) as server:
            events, error = await ask(server.url)
        assert len(events) == 1
        assert error is not None
        assert error.retryable
        assert len(server.requests) == 1

    @pytest.mark.parametrize("rest", [[CLOSE], [END], [chunk(event({"error": "x"})), END]])
    async def test_after_the_beginning_of_a_call_as_nobody_has_seen_it(self, rest: Reply) -> None:
        async with serving([head() + chunk(call(0, "a", "f", '{"q')), *rest], ANSWER) as server:
            events, error = await ask(server.url)
        assert (events, error) == (EXPECTED, None)
        assert len(server.requests) == 2

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
        monkeypatch.setattr(_ending, "AFTER_MARK", 0.05)
        async with serving([head() + chunk(delta("ok") + STOP), HOLD]) as server:
            assert await ask(server.url) == (EXPECTED, None)
            await server.until(lambda: server.open == 0)

    async def test_comments_after_the_finish_do_not_stretch_the_wait(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(_ending, "AFTER_MARK", 0.0)
        pings = [chunk(b": ping\n\n")] * 1000
        async with serving([head() + chunk(delta("ok") + STOP), *pings, HOLD]) as server:
            assert await ask(server.url) == (EXPECTED, None)
            await server.until(lambda: server.open == 0)

    async def test_a_mark_on_every_piece_ends_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        # No time at all is left behind a mark that is believed.
        monkeypatch.setattr(_ending, "AFTER_MARK", 0.0)
        pieces = [chunk(delta(word, "stop")) for word in "cdef"] + [chunk(call(0, "x", "f", "{}"))]
        asked = [anyio.Event() for _ in pieces]
        steps: list[bytes | anyio.Event] = [step for pair in zip(asked, pieces, strict=True) for step in pair]
        early = head() + chunk(delta("a", "stop")) + chunk(delta("b", "stop"))
        async with (
            serving([early, *steps, END]) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            events = provider.stream(ASK)
            found = [await anext(events), await anext(events)]
            for event in asked:
                event.set()
                found.append(await anext(events))
            assert found == [*map(TextDelta, "abcdef"), ToolCallDelta(0, "x", "f", "{}")]
            assert [item async for item in events] == [ModelEnd("stop")]

    async def test_then_silence_for_as_long_is_the_end(self) -> None:
        async with serving([head() + chunk(delta("a", "stop")) + chunk(delta("b", "stop")), HOLD]) as server:
            events, error = await ask(server.url, read_timeout=0.05)
            assert (events[-1], error) == (ModelEnd("stop"), None)

    async def test_not_with_content_behind_the_last_mark(self) -> None:
        async with serving([head() + chunk(delta("a", "stop")) + chunk(delta("b")), HOLD]) as server:
            events, error = await ask(server.url, read_timeout=0.05)
            assert events == [TextDelta("a"), TextDelta("b")]
            assert error is not None

    async def test_nor_where_the_connection_breaks_in_the_midst_of_marks(self) -> None:
        async with serving([head() + chunk(delta("a", "stop")) + chunk(delta("b", "stop")), CLOSE]) as server:
            _, error = await ask(server.url)
            assert error is not None
            assert error.retryable

    async def test_a_mark_of_another_kind_is_believed_then(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(_ending, "AFTER_MARK", 0.05)
        body = chunk(delta("a", "stop")) + chunk(delta("b", "stop")) + chunk(STOP)
        async with serving([head() + body, HOLD]) as server:
            events, error = await ask(server.url)
            assert (events[-1], error) == (ModelEnd("stop"), None)

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

    async def test_calls_of_an_answer_that_broke_off_are_not_given(self) -> None:
        async with serving([head() + chunk(call(0, "a", "f", "{}")), END]) as server:
            events, error = await ask(server.url, max_retries=0)
        assert events == []
        assert error is not None
        assert "broke off" in str(error)

    async def test_a_silent_server_is_given_up(self) -> None:
        async with serving([head(), HOLD]) as server:
            _, error = await ask(server.url, read_timeout=0.05, max_retries=0)
            assert error is not None
            assert "said nothing" in str(error)
            await server.until(lambda: server.open == 0)


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

    @pytest.mark.parametrize(
        "body",
        [
            [chunk(delta("x" * 1000))] * 20,
            [chunk(b"data: ")] + [chunk(b"x" * 10_000)] * 20,
            [chunk(b"[")] + [chunk(b" " * 10_000)] * 20,
        ],
        ids=["pieces", "one line", "one document"],
    )
    async def test_one_that_is_too_long_is_given_up(self, body: list[bytes]) -> None:
        async with serving([head(), *body, HOLD]) as server:
            _, error = await ask(server.url, max_answer_bytes=10_000)
            assert error is not None
            assert "max_answer_bytes" in str(error)
            assert len(server.requests) == 1
            await server.until(lambda: server.open == 0)

    async def test_a_large_piece_leaves_others_their_turn(self) -> None:
        turns = 0
        seen: list[int] = []
        texts: list[str] = []

        async def take_turns() -> None:
            nonlocal turns
            while True:
                turns += 1
                await anyio.lowlevel.checkpoint()

        large = [chunk(delta("x" * 400_000)), chunk(delta("y") + STOP + DONE), END]
        async with (
            anyio.create_task_group() as tasks,
            serving([head(), *large]) as server,
            OpenAIChat("m", base_url=server.url) as provider,
        ):
            tasks.start_soon(take_turns)
            async for event in provider.stream(ASK):
                if isinstance(event, TextDelta):
                    texts.append(event.text)
                    seen.append(turns)
            tasks.cancel_scope.cancel()
        assert "".join(texts) == "x" * 400_000 + "y"
        parts = sum(text.startswith("x") for text in texts)
        assert parts > 10
        # Two loops may have their turns in any order, so that one is seen twice at the most.
        assert len(set(seen[:parts])) >= parts // 2

    async def test_the_body_of_an_error_is_bounded_in_size_and_time(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(_transport, "ERROR_BODY_WAIT", 0.05)
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
