"""The sockets under the HTTP client, on asyncio, over real connections."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpcore2
import httpx2
import pytest

from finalturn._providers.http.network import (
    FIRST,
    MAX_JOINED,
    MAX_UNREAD,
    Connection,
    Network,
    use_asyncio_sockets,
)
from finalturn.providers import OpenAIChat
from tests.providers._asking import ANSWER, ASK, EXPECTED
from tests.providers._server import serving

CERTIFICATE = Path(__file__).with_name("certificate.pem")
POST = b"POST / HTTP/1.1\r\nHost: a\r\n\r\n"

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Other(httpcore2.AsyncNetworkBackend):
    """What does the rest."""

    def __init__(self) -> None:
        self.asked: list[object] = []

    async def connect_unix_socket(self, path: str, timeout: Any = None, socket_options: Any = None) -> Any:
        self.asked.append(path)

    async def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)


@asynccontextmanager
async def connected(
    handler: Handler, *, tls: ssl.SSLContext | None = None, **options: Any
) -> AsyncGenerator[httpcore2.AsyncNetworkStream]:
    """A connection to a server that does as the handler does, and hangs up."""

    serving: set[asyncio.Task[Any] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.current_task())
        try:
            await handler(reader, writer)
        except (ConnectionError, ssl.SSLError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    try:
        stream = await Network(Other()).connect_tcp("127.0.0.1", port, timeout=20, **options)
        try:
            yield stream
        finally:
            await stream.aclose()
    finally:
        server.close()
        for task in serving:
            assert task is not None
            task.cancel()
            await asyncio.wait([task])


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)


async def read(stream: httpcore2.AsyncNetworkStream, size: int) -> bytes:
    found = b""
    while len(found) < size:
        data = await stream.read(65536, timeout=20)
        assert 0 < len(data) <= 65536
        found += data
    return found


@pytest.mark.anyio
class TestConnection:
    async def test_what_is_sent_and_what_comes(self) -> None:
        async with connected(echo, local_address="127.0.0.1") as stream:
            for data in (b"hello", b"", b"x" * 3_000_000):
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(stream.write(data, timeout=20))
                    found = tasks.create_task(read(stream, len(data)))
                assert found.result() == data

    async def test_the_head_of_a_request_goes_out_with_its_body(self) -> None:
        seen: list[bytes] = []

        async def note(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            seen.append(await reader.read(MAX_JOINED))
            writer.write(b"x")

        async with connected(note) as stream:
            await stream.write(POST)
            await stream.write(b"{}")
            await stream.read(1, timeout=20)
        assert seen == [POST + b"{}"]

    @pytest.mark.parametrize("body", [b"", b"x" * (MAX_JOINED + 1)])
    async def test_a_head_alone_and_one_with_a_large_body_go_out_too(self, body: bytes) -> None:
        async with connected(echo) as stream:
            await stream.write(POST)
            await stream.write(body)
            assert await read(stream, len(POST + body)) == POST + body

    async def test_the_end_is_no_bytes(self) -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"bye")

        async with connected(hang_up) as stream:
            assert await read(stream, 3) == b"bye"
            for _ in range(2):
                assert await stream.read(10, timeout=20) == b""

    async def test_a_silent_server_is_given_up(self) -> None:
        async with connected(silent) as stream:
            with pytest.raises(httpcore2.ReadTimeout):
                await stream.read(10, timeout=0.01)

    async def test_a_read_that_is_cancelled_loses_nothing(self) -> None:
        async with connected(echo) as stream:
            with anyio.move_on_after(0.01) as scope:
                await stream.read(10)
            assert scope.cancelled_caught
            await stream.write(b"late")
            assert await read(stream, 4) == b"late"

    async def test_a_connection_that_breaks(self) -> None:
        async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            # Closed with this, it is reset.
            at_once = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)

        async with connected(reset) as stream:
            await stream.write(b"x")
            with pytest.raises(httpcore2.ReadError):
                await stream.read(10, timeout=20)
            with pytest.raises(httpcore2.WriteError):
                await stream.write(b"x")

    async def test_a_server_that_takes_nothing_in_is_given_up(self) -> None:
        async def stuck(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        async with connected(stuck) as stream:
            with pytest.raises(httpcore2.WriteTimeout):
                await stream.write(b"x" * 50_000_000, timeout=0.05)

    async def test_what_nobody_reads_is_not_heaped_up(self) -> None:
        async with connected(echo) as stream:
            assert isinstance(stream, Connection)
            received: Any = vars(stream)["_received"]
            data = b"x" * (MAX_UNREAD * 8)
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(stream.write(data, timeout=20))
                with anyio.fail_after(20):
                    while not received._paused:
                        await asyncio.sleep(0)
                assert len(received._unread) <= MAX_UNREAD * 2
                assert await read(stream, len(data)) == data

    async def test_what_an_answer_begins_with_does_not_wait_for_all_that_has_come(self) -> None:
        answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"5\r\nzzzzz\r\n" * 1000

        async def at_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            await reader.read(1)

        async with connected(at_once) as stream:
            await stream.write(POST)
            first = await stream.read(65536, timeout=20)
            assert first.count(b"z") < FIRST
            found = first.count(b"z")
            while found < 5000:
                found += (await stream.read(65536, timeout=20)).count(b"z")

    async def test_what_is_no_http_is_said(self) -> None:
        async def nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\n")

        async with connected(nonsense) as stream:
            await stream.write(POST)
            assert (await stream.read(65536, timeout=20)).endswith(b"1\r\na\r\n")
            with pytest.raises(httpcore2.RemoteProtocolError):
                await stream.read(65536, timeout=20)

    async def test_what_is_known_of_it(self) -> None:
        async with connected(silent) as stream:
            assert stream.get_extra_info("client_addr")[0] == "127.0.0.1"
            assert stream.get_extra_info("server_addr")[0] == "127.0.0.1"
            assert stream.get_extra_info("socket").fileno() > 0
            assert stream.get_extra_info("ssl_object") is None
            assert not stream.get_extra_info("is_readable")
        assert stream.get_extra_info("is_readable")

    async def test_it_is_seen_when_an_idle_one_has_been_closed(self) -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            pass

        async with connected(hang_up) as stream:
            with anyio.fail_after(20):
                while not stream.get_extra_info("is_readable"):
                    await asyncio.sleep(0)


@pytest.mark.anyio
class TestConnecting:
    async def test_nobody_there(self, free_tcp_port: int) -> None:
        with pytest.raises(httpcore2.ConnectError):
            await Network(Other()).connect_tcp("127.0.0.1", free_tcp_port, timeout=20)

    async def test_it_takes_too_long(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def never(*args: object, **options: object) -> None:
            await asyncio.Event().wait()

        monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", never)
        with pytest.raises(httpcore2.ConnectTimeout):
            await Network(Other()).connect_tcp("127.0.0.1", 1, timeout=0.01)

    async def test_options_of_the_socket(self) -> None:
        options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
        async with connected(silent, socket_options=options) as stream:
            found = stream.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert found

    async def test_the_rest_is_done_by_another(self) -> None:
        other = Other()
        await Network(other).connect_unix_socket("/a/socket")
        await Network(other).sleep(0.5)
        assert other.asked == ["/a/socket", 0.5]


@pytest.mark.anyio
class TestTls:
    async def test_what_is_sent_and_what_comes(self) -> None:
        async with connected(echo, tls=_server_side()) as plain:
            stream = await plain.start_tls(_client_side(), "localhost", timeout=20)
            data = b"x" * 500_000
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(stream.write(data, timeout=20))
                found = tasks.create_task(read(stream, len(data)))
            assert found.result() == data
            assert stream.get_extra_info("ssl_object").version().startswith("TLS")
            assert not stream.get_extra_info("is_readable")
            await stream.aclose()

    async def test_the_end_is_no_bytes(self) -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"bye")

        async with connected(hang_up, tls=_server_side()) as plain:
            stream = await plain.start_tls(_client_side(), "localhost", timeout=20)
            assert await read(stream, 3) == b"bye"
            assert await stream.read(10, timeout=20) == b""
            await stream.aclose()

    async def test_a_server_that_is_not_who_it_should_be(self) -> None:
        async with connected(echo, tls=_server_side()) as plain:
            with pytest.raises(httpcore2.ConnectError):
                await plain.start_tls(_client_side(), "example.org", timeout=20)

    async def test_a_server_that_speaks_none(self) -> None:
        async with connected(silent) as plain:
            with pytest.raises(httpcore2.ConnectError):
                await plain.start_tls(_client_side(), "localhost", timeout=20)

    async def test_it_takes_too_long(self) -> None:
        async def stuck(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await asyncio.Event().wait()

        async with connected(stuck) as plain:
            with pytest.raises(httpcore2.ConnectTimeout):
                await plain.start_tls(_client_side(), "localhost", timeout=0.01)


def _server_side() -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(CERTIFICATE)
    return context


def _client_side() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=CERTIFICATE)


def transports_of(client: Any) -> list[Any]:
    """A client's own transport, and those of its proxies."""
    return [client._transport, *client._mounts.values()]


@pytest.mark.anyio
class TestClients:
    async def test_the_pools_of_a_client_and_of_its_proxies(self) -> None:
        mounts = {"all://a.example": httpx2.AsyncHTTPTransport(proxy="http://127.0.0.1:1")}
        async with httpx2.AsyncClient(mounts=mounts) as client:
            use_asyncio_sockets(client, asyncio.get_running_loop())
            transports = transports_of(client)
            assert len(transports) == 2
            for transport in transports:
                assert isinstance(transport._pool._network_backend, Network)

    async def test_another_loop_and_another_client_stay_as_they_are(self) -> None:
        async with httpx2.AsyncClient(verify=False) as client:
            use_asyncio_sockets(client, object())
            (transport,) = transports_of(client)
            assert not isinstance(transport._pool._network_backend, Network)
        use_asyncio_sockets(object(), asyncio.get_running_loop())

    async def test_the_provider_s_own_have_them(self) -> None:
        async with serving(ANSWER) as server, OpenAIChat("m", base_url=server.url) as provider:
            assert [item async for item in provider.stream(ASK)] == EXPECTED
            client = await vars(provider)["_transport"].clients.get()
            for transport in transports_of(client):
                assert isinstance(transport._pool._network_backend, Network)

    async def test_through_a_proxy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(ANSWER) as server:
            monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{server.port}")
            async with OpenAIChat("m", base_url="http://model.example/v1") as provider:
                assert [item async for item in provider.stream(ASK)] == EXPECTED
            assert server.requests[0].target == "http://model.example/v1/chat/completions"
