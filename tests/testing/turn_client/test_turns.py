"""Served turns, over connections that break."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import httpx2
import pytest

from finalturn import StreamClosedError
from finalturn._serve.formats.sse import frame
from finalturn.testing import AsyncTurnClient, TurnClient, TurnProblem
from tests.testing.turn_client._records import CHUNK, NEWS, RUN, ended

pytestmark = pytest.mark.anyio

RECORDS: tuple[dict[str, Any], ...] = (RUN, CHUNK, NEWS, CHUNK, ended())


class Body(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """Some records, and then the end or a failure."""

    def __init__(self, start: int, end: int, failure: Exception | None) -> None:
        self.pieces = [frame(RECORDS[place], place + 1) for place in range(start, end)]
        self.failure = failure
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from self.pieces
        if self.failure is not None:
            raise self.failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


class Server:
    """Answers with some records more each time.

    Args:
        ends: the place in the records where each answer ends; ``None`` for a refusal.
        failure: what an answer breaks with that is not the last.
    """

    def __init__(self, *ends: int | None, failure: Exception | None = None, status: int = 503) -> None:
        self.ends = list(ends)
        self.failure = failure
        self.status = status
        self.requests: list[tuple[str, str | None]] = []
        self.bodies: list[Body] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        after = request.headers.get("Last-Event-ID")
        self.requests.append((f"{request.method} {request.url.path}", after))
        end = self.ends.pop(0)
        if end is None:
            return httpx2.Response(self.status)
        body = Body(int(after or 0), end, self.failure if end < len(RECORDS) else None)
        self.bodies.append(body)
        return httpx2.Response(200, stream=body)


class Reader:
    """Reads a turn of a server, one way or the other."""

    def __init__(self, server: Server, awaited: bool) -> None:
        self.server = server
        self.awaited = awaited
        self.unknown: Any = None

    async def read(self, lose_after: int | None = None) -> list[Any]:
        """The records; the connection is lost after so many."""
        records: list[Any] = []
        transport = httpx2.MockTransport(self.server)
        if self.awaited:
            async with (
                httpx2.AsyncClient(transport=transport, base_url="http://x") as client,
                AsyncTurnClient(client) as turns,
                turns.stream("Hello") as stream,
            ):
                async for record in stream:
                    records.append(record)
                    if len(records) == lose_after:
                        await stream.lose_connection()
                self.unknown = stream.unknown
                assert stream.run_id == "r-1"
                assert stream.result.text == "Hi"
        else:
            with (
                httpx2.Client(transport=transport, base_url="http://x") as sync_client,
                TurnClient(sync_client) as sync_turns,
                sync_turns.stream("Hello") as sync_stream,
            ):
                for record in sync_stream:
                    records.append(record)
                    if len(records) == lose_after:
                        sync_stream.lose_connection()
                self.unknown = sync_stream.unknown
                assert sync_stream.run_id == "r-1"
                assert sync_stream.result.text == "Hi"
        return records


KNOWN = [record for record in RECORDS if record is not NEWS]
BEGIN = ("POST /v1/chat/stream", None)
AGAIN = "GET /v1/chat/stream/r-1"


@pytest.mark.parametrize("awaited", [False, True], ids=["sync", "async"])
class TestTurns:
    async def test_pass_over_records_that_are_unknown(self, awaited: bool) -> None:
        reader = Reader(Server(5), awaited)
        assert await reader.read() == KNOWN
        assert reader.unknown == (NEWS,)
        assert all(body.closed for body in reader.server.bodies)

    @pytest.mark.parametrize("failure", [None, httpx2.ReadError("broken")])
    async def test_come_back_for_what_is_missing(self, awaited: bool, failure: Exception | None) -> None:
        reader = Reader(Server(1, 3, None, 3, 5, failure=failure), awaited)
        assert await reader.read() == KNOWN
        assert reader.server.requests == [
            BEGIN, (AGAIN, "1"), (AGAIN, "3"), (AGAIN, "3"), (AGAIN, "3"),
        ]  # fmt: skip
        assert all(body.closed for body in reader.server.bodies)

    async def test_come_back_after_a_connection_that_they_lost_themselves(self, awaited: bool) -> None:
        reader = Reader(Server(5, 5), awaited)
        assert await reader.read(lose_after=2) == KNOWN
        assert reader.server.requests == [BEGIN, (AGAIN, "2")]

    async def test_do_not_come_back_for_ever(self, awaited: bool) -> None:
        reader = Reader(Server(1, 1, 1, 1, 1), awaited)
        with pytest.raises(StreamClosedError):
            await reader.read()
        assert reader.server.ends == []

    async def test_do_not_come_back_where_they_are_refused(self, awaited: bool) -> None:
        reader = Reader(Server(1, None, status=404), awaited)
        with pytest.raises(TurnProblem) as caught:
            await reader.read()
        assert caught.value.status == 404

    async def test_raise_what_breaks_before_they_begin(self, awaited: bool) -> None:
        broken = httpx2.ReadError("broken")
        with pytest.raises(httpx2.ReadError):
            await Reader(Server(0, failure=broken), awaited).read()
        with pytest.raises(TurnProblem):
            await Reader(Server(None), awaited).read()

    async def test_raise_what_is_no_networks_failure(self, awaited: bool) -> None:
        reader = Reader(Server(1, failure=ZeroDivisionError()), awaited)
        with pytest.raises(ZeroDivisionError):
            await reader.read()
        assert len(reader.server.requests) == 1


class TestOtherClients:
    def test_may_be_of_httpx(self) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, content=b"".join(Body(0, 5, None)))

        client: Any = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://x")
        with client, TurnClient(client) as turns:
            assert turns.run("Hello").text == "Hi"
