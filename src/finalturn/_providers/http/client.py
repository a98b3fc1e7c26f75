"""HTTP clients: the interface that is used of them, and one client for each event loop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextvars import Context
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary, finalize

if TYPE_CHECKING:
    import ssl

    import httpx2

# Seconds. A reasoning model may be silent for minutes before its first word.
CONNECT_TIMEOUT = 10.0
READ_TIMEOUT = 600.0

_DEFAULT_OF_HTTPX = 5.0


class HttpResponse(Protocol):
    """An answer whose body has not been read."""

    @property
    def status_code(self) -> int: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def is_stream_consumed(self) -> bool: ...

    def aiter_bytes(self) -> AsyncIterator[bytes]: ...

    def aiter_raw(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


class HttpClient(Protocol):
    """What is used of ``httpx2.AsyncClient`` and ``httpx.AsyncClient``."""

    @property
    def headers(self) -> Any: ...

    @property
    def timeout(self) -> Any: ...

    def build_request(
        self, method: str, url: str, /, *, content: bytes, headers: dict[str, str], timeout: Any
    ) -> Any: ...

    async def send(self, request: Any, /, *, stream: bool) -> Any: ...


class Clients:
    """A client for each event loop, or the one that was given.

    A connection belongs to the loop that it was opened on. A client of ours is closed when its loop
    ends, when nothing refers to this object any more, or by `aclose`.

    Args:
        given: the user's own client, which is used on every loop and never closed.
    """

    def __init__(self, client: HttpClient | None = None) -> None:
        self._user_client = client
        self._own: WeakKeyDictionary[object, _OwnClient] = WeakKeyDictionary()
        # Loops may run in threads of their own.
        self._lock = Lock()

    async def get(self) -> HttpClient:
        """The client for the running loop."""
        if self._user_client is not None:
            return self._user_client
        from anyio.lowlevel import current_token

        loop = current_token().native_token
        entry = self._own.get(loop)
        if entry is not None:
            if not entry.client.is_closed:
                return entry.client
            await entry.aclose()
        entry = _OwnClient(self, _new_client(loop))
        with self._lock:
            self._forget_closed()
            self._own[loop] = entry
        await entry.begin()
        return entry.client

    async def aclose(self) -> None:
        """Close our clients: the running loop's now, those of other loops as soon as these get to it."""
        from anyio.lowlevel import current_token

        with self._lock:
            here = self._own.pop(current_token().native_token, None)
            elsewhere = list(self._own.values())
            self._own.clear()
        for entry in elsewhere:
            entry.release()
        if here is not None:
            await here.aclose()

    def _forget_closed(self) -> None:
        for loop, entry in list(self._own.items()):
            if entry.client.is_closed:
                entry.release()
                self._own.pop(loop, None)


class _OwnClient:
    """A client that is closed with its loop, or when its owner is collected.

    The generator that closes it is kept by ``weakref.finalize``, and not by the owner alone: were it
    collected together with an owner that is part of a reference cycle, its open connections would be
    finalized in the same breath, before anyone could close them.
    """

    def __init__(self, owner: object, client: httpx2.AsyncClient) -> None:
        self.client = client
        self._keeper: list[AsyncGenerator[None, None]] = [_close_with_the_loop(client)]
        self._finalizer = finalize(owner, _drop_generator, self._keeper)
        self._finalizer.atexit = False

    async def begin(self) -> None:
        """Make the running loop know of the generator."""
        await self._keeper[0].__anext__()

    async def aclose(self) -> None:
        """Close the client in its own loop, which is running."""
        self._finalizer.detach()
        while self._keeper:
            await self._keeper.pop().aclose()

    def release(self) -> None:
        """Let the client's loop close it, whenever it gets to it."""
        self._finalizer()


def _drop_generator(keeper: list[AsyncGenerator[None, None]]) -> None:
    # Its loop closes a generator that is no longer referred to, in a context that is copied from here:
    # here may be another loop's task, whose context would make the HTTP client take its loop for that one.
    Context().run(keeper.clear)


async def _close_with_the_loop(client: httpx2.AsyncClient) -> AsyncGenerator[None, None]:
    """Both event loops finish the generators that are left when they end, or that are collected."""
    try:
        yield
    finally:
        await client.aclose()


def _new_client(loop: object) -> httpx2.AsyncClient:
    import httpx2

    from finalturn._providers.http.network import use_asyncio_sockets
    from finalturn._providers.http.proxies import mounts_of_environment

    limits = httpx2.Limits(max_connections=1000, max_keepalive_connections=100, keepalive_expiry=30.0)
    client = httpx2.AsyncClient(
        limits=limits, verify=_tls(), mounts=mounts_of_environment(limits, _tls()), trust_env=False
    )
    use_asyncio_sockets(client, loop)
    return client


@cache
def _tls() -> ssl.SSLContext:
    """Reading the certificates takes 20 ms, which a program that starts a loop for each turn pays once."""
    import httpx2

    return httpx2.create_ssl_context()


def timeouts(client: HttpClient, connect: float | None, read: float | None) -> tuple[float | None, ...]:
    """Seconds for connecting, reading, writing and waiting for a free connection.

    Args:
        connect: as the user wants it. ``None`` is the client's own, or `CONNECT_TIMEOUT` where the client
            has httpx's default, which is too short for a model.
        read: likewise, with `READ_TIMEOUT`.
    """
    own = client.timeout
    if connect is None:
        connect = CONNECT_TIMEOUT if own.connect == _DEFAULT_OF_HTTPX else own.connect
    if read is None:
        read = READ_TIMEOUT if own.read == _DEFAULT_OF_HTTPX else own.read
    write = READ_TIMEOUT if own.write == _DEFAULT_OF_HTTPX else own.write
    pool = READ_TIMEOUT if own.pool == _DEFAULT_OF_HTTPX else own.pool
    return connect, read, write, pool
