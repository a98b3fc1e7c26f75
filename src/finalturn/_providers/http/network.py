"""Sockets for the HTTP client, on asyncio: what it reads with for each piece that a model says.

httpcore2 reads through anyio, which for every read enters a cancel scope, asks the event loop to watch the
socket, and asks it to stop. Here the loop watches a connection for as long as it stands, and a read that
finds nothing waits for one future. Everything above stays httpcore2's: its pool, HTTP, proxies, and what it
does about TLS.
"""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
from collections.abc import Awaitable, Iterable
from typing import Any, TypeVar

import httpcore2

from finalturn._providers.http.chunked import ChunkJoiner

# Bytes that may lie unread before the other side is made to wait.
MAX_UNREAD = 256 * 1024

# Bytes of a body that are copied to go out with their head, in one packet and one system call.
MAX_JOINED = 64 * 1024

# Bytes of the first read of an answer: its head, and the first words.
FIRST = 2048

# Seconds until the next address of a host is tried as well (RFC 8305, section 8).
_NEXT_ADDRESS = 0.25

T = TypeVar("T")


def use_asyncio_sockets(client: object, loop: object) -> None:
    """Give a client of httpx2 these sockets, where its loop is asyncio's own.

    httpcore2 takes a network backend, and httpx2 has no argument that passes one on, so it is put where
    their pools keep it. A client that keeps it elsewhere stays as it is.
    """
    if not isinstance(loop, asyncio.BaseEventLoop):
        return
    transports = [getattr(client, "_transport", None), *getattr(client, "_mounts", {}).values()]
    for transport in transports:
        pool: Any = getattr(transport, "_pool", None)
        backend = getattr(pool, "_network_backend", None)
        if isinstance(backend, httpcore2.AsyncNetworkBackend):
            pool._network_backend = Network(backend)


class Network(httpcore2.AsyncNetworkBackend):
    """Opens connections.

    Args:
        other: what does the rest.
    """

    def __init__(self, other: httpcore2.AsyncNetworkBackend) -> None:
        self._other = other

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to a host.

        Raises:
            ConnectTimeout: it took too long.
            ConnectError: there is no such host, or it does not answer.
        """
        connecting = asyncio.get_running_loop().create_connection(
            _Received,
            host,
            port,
            local_addr=None if local_address is None else (local_address, 0),
            happy_eyeballs_delay=_NEXT_ADDRESS,
        )
        try:
            transport, received = await _within(timeout, connecting, httpcore2.ConnectTimeout)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        for option in socket_options or ():
            transport.get_extra_info("socket").setsockopt(*option)
        return Connection(transport, received)

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Connect to a socket of this machine."""
        return await self._other.connect_unix_socket(path, timeout, socket_options)

    async def sleep(self, seconds: float) -> None:
        """Wait before connecting again."""
        await self._other.sleep(seconds)


class Connection(httpcore2.AsyncNetworkStream):
    """A connection that stands."""

    def __init__(self, transport: asyncio.Transport, received: _Received) -> None:
        self._transport = transport
        self._received = received
        self._joiner = ChunkJoiner()
        # The head of a request whose body has not come yet: they go out together.
        self._head = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Some bytes; none when the other side has ended.

        Raises:
            ReadTimeout: nothing came in time.
            ReadError: the connection broke.
            RemoteProtocolError: what came is not HTTP.
        """
        if self._head:
            self._transport.write(self._head)
            self._head = b""
        if self._joiner.beginning:
            # What an answer begins with is to be shown soon: it does not wait for all else that has come.
            max_bytes = min(max_bytes, FIRST)
        while True:
            if self._joiner.broken is not None:
                raise httpcore2.RemoteProtocolError(self._joiner.broken)
            data = self._received.take(max_bytes) or await self._received.wait(max_bytes, timeout)
            joined = self._joiner.feed(data)
            if joined or not data:
                return joined

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send bytes.

        Raises:
            WriteTimeout: they could not be sent in time.
            WriteError: the connection broke.
        """
        if not buffer:
            return
        if self._transport.is_closing():
            raise httpcore2.WriteError("the connection is closed")
        self._joiner.sent(buffer)
        if buffer.startswith(b"POST "):
            self._head = buffer
            return
        if self._head and len(buffer) <= MAX_JOINED:
            buffer = self._head + buffer
        elif self._head:
            self._transport.write(self._head)
        self._head = b""
        self._transport.write(buffer)
        if not self._received.writable.is_set():
            await _within(timeout, self._received.writable.wait(), httpcore2.WriteTimeout)
            if self._received.lost:
                raise httpcore2.WriteError("the connection broke")

    async def aclose(self) -> None:
        """Close it at once."""
        self._transport.close()
        try:
            # What is to be said at the end, such as that of TLS, may still go out.
            await asyncio.sleep(0)
        finally:
            self._transport.abort()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """The same connection, encrypted.

        Raises:
            ConnectTimeout: it took too long.
            ConnectError: the other side does not do it, or is not who it should be.
        """
        upgrading = asyncio.get_running_loop().start_tls(
            self._transport, self._received, ssl_context, server_hostname=server_hostname
        )
        try:
            transport = await _within(timeout, upgrading, httpcore2.ConnectTimeout)
            if transport is None:
                raise OSError("the connection broke")
        except BaseException as error:
            await self.aclose()
            if isinstance(error, OSError):
                raise httpcore2.ConnectError(str(error)) from error
            raise
        self._received.watch(transport)
        return Connection(transport, self._received)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore2 asks of a connection."""
        if info == "is_readable":
            return self._received.any or _is_readable(self._transport.get_extra_info("socket"))
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._transport.get_extra_info(names.get(info, info))


class _Received(asyncio.Protocol):
    """The bytes that a connection has received, and its state.

    Attributes:
        lost: the connection is closed, from whichever side.
        writable: the other side keeps up with what is sent.
    """

    def __init__(self) -> None:
        self.lost = False
        self.writable = asyncio.Event()
        self.writable.set()
        self._transport: asyncio.Transport | None = None
        self._unread = bytearray()
        self._paused = False
        self._ended = False
        self._error: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    @property
    def any(self) -> bool:
        """There is something to read, were it the end."""
        return bool(self._unread) or self._ended

    def watch(self, transport: asyncio.Transport) -> None:
        """Read from this transport."""
        self._transport = transport

    def take(self, most: int) -> bytes:
        """What has come so far."""
        unread = self._unread
        if len(unread) <= most:
            # Nearly always: a copy of the whole, and no copy of what is left.
            data = bytes(unread)
            unread.clear()
        else:
            data = bytes(unread[:most])
            del unread[:most]
        if self._paused and len(unread) <= most and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    async def wait(self, most: int, timeout: float | None) -> bytes:
        """What comes next; nothing at the end.

        Raises:
            ReadTimeout: nothing came in time.
            ReadError: the connection broke.
        """
        if not self._ended:
            loop = asyncio.get_running_loop()
            self._waiter = waiter = loop.create_future()
            timer = None if timeout is None else loop.call_later(timeout, self._wake)
            try:
                await waiter
            finally:
                self._waiter = None
                if timer is not None:
                    timer.cancel()
        data = self.take(most)
        if data:
            return data
        if self._error is not None:
            raise httpcore2.ReadError(str(self._error)) from self._error
        if not self._ended:
            raise httpcore2.ReadTimeout("nothing came in time")
        return data

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.watch(transport)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        if len(self._unread) > MAX_UNREAD and self._transport is not None and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._ended = True
        self._wake()
        # TLS cannot be half closed; without it, the connection stays until it is closed here.
        return self._transport is not None and self._transport.get_extra_info("ssl_object") is None

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = self._ended = True
        self._error = exc
        self._transport = None
        self.writable.set()
        self._wake()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


async def _within(seconds: float | None, work: Awaitable[T], error: type[Exception]) -> T:
    """Wait for something, and raise the error when it takes too long."""
    try:
        async with asyncio.timeout(seconds):
            return await work
    except TimeoutError as cause:
        # A system call may time out as well, which is no less a timeout.
        raise error(str(cause)) from cause


def _is_readable(sock: socket.socket | None) -> bool:
    """Whether a read would find something now, such as the end."""
    if sock is None or sock.fileno() < 0:
        return True
    if not hasattr(select, "poll"):
        return bool(select.select([sock.fileno()], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLIN)
    return bool(poll.poll(0))
