"""What an exception of the HTTP client means."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from anyio.abc import SocketAttribute, SocketStream
from anyio.streams.tls import TLSStream

from finalturn._core.errors import ProviderError
from finalturn._providers.http.peer import Peer, peer_of
from finalturn._providers.http.transport_failures import transport_error
from tests.providers._asking import ask

KEY = "sk-SENTINEL"
CERTIFICATE = Path(__file__).with_name("certificate.pem")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_a_client_s_exceptions_are_known_by_name(library: object) -> None:
    cases: list[tuple[str, str, bool]] = [
        ("ConnectError", "could not be reached", True),
        ("ConnectTimeout", "could not be reached in time", True),
        ("ReadTimeout", "said nothing", True),
        ("WriteTimeout", "said nothing", True),
        ("PoolTimeout", "came free", True),
        ("ReadError", "broke", True),
        ("RemoteProtocolError", "broke", True),
        ("DecodingError", "decompressed", True),
        ("ProxyError", "proxy", True),
        ("LocalProtocolError", "headers", False),
        ("UnsupportedProtocol", "base_url", False),
    ]
    for name, words, retryable in cases:
        error = transport_error(getattr(library, name)(f"broke at {KEY}"))
        assert isinstance(error, ProviderError), name
        assert words in str(error), name
        assert error.retryable is retryable, name
        assert error.detail == name, name
        assert error.status is None, name


def test_other_exceptions_are_none_of_its_business() -> None:
    class ReadError(Exception):
        pass

    assert transport_error(ValueError("x")) is None
    assert transport_error(ReadError("x")) is None
    assert transport_error(httpx2.InvalidURL("x")) is None


SERVER = peer_of("https://me:SENTINEL@model.example:8443/SENTINEL/v1?key=SENTINEL")
PROXY = peer_of("http://me:SENTINEL@proxy.example:3128", is_proxy=True)


def failed(*causes: BaseException, name: str = "ConnectError", words: str = "") -> httpx2.TransportError:
    """An exception of the client, with what lies below it."""
    error: httpx2.TransportError = getattr(httpx2, name)(words)
    found: BaseException = error
    for cause in causes:
        found.__cause__ = cause
        found = cause
    return error


def system(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def tls(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, f"[SSL: {reason}] words (_ssl.c:1)")
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("cause", "words", "retryable"),
    [
        (system(errno.ECONNREFUSED), "nothing listens at {0}; is the server running?", True),
        (OSError("Multiple exceptions: [Errno 111] a, [Errno 101] b"), "nothing listens at {0}", True),
        (OSError("All connection attempts failed"), "{0} ended before it was encrypted", True),
        (
            ExceptionGroup("x", [system(errno.ENETUNREACH), system(errno.ECONNREFUSED)]),
            "nothing listens",
            True,
        ),
        (system(errno.EHOSTUNREACH), "no way to what is at {0}", True),
        (system(errno.ETIMEDOUT), "in time: the server at {0} does not answer", True),
        (system(errno.EACCES), "lets no connection out to what is at {0}", True),
        (
            socket.gaierror(socket.EAI_NONAME, "x"),
            "host name of the server {0} is not known; check base_url",
            False,
        ),
        (socket.gaierror(socket.EAI_AGAIN, "x"), "{0} could not be looked up; is there a network?", True),
        (ssl.SSLCertVerificationError("x"), "certificate of {0} cannot be verified", False),
        (tls("WRONG_VERSION_NUMBER"), "{0} does not speak HTTPS", False),
        (tls("RECORD_LAYER_FAILURE"), "{0} does not speak HTTPS", False),
        (tls("TLSV1_ALERT_PROTOCOL_VERSION"), "encrypted connection to {0} came about", False),
        (ssl.SSLEOFError(8, "x"), "encrypted connection to {0} came about", True),
    ],
)
def test_a_connection_that_does_not_stand_says_why(cause: Exception, words: str, retryable: bool) -> None:
    for error in (failed(cause), failed(ConnectionError("between"), cause)):
        told = transport_error(error, server=SERVER)
        assert told is not None
        assert words.format("model.example:8443") in str(told)
        assert (told.retryable, told.detail) == (retryable, "ConnectError")
        assert "SENTINEL" not in str(told)
        assert told.__cause__ is not None


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (
            system(errno.ECONNREFUSED),
            "nothing listens where the proxy should be, at {0}; is the proxy running?",
        ),
        (system(errno.ENETUNREACH), "no way to what is at {0}"),
        (
            socket.gaierror(socket.EAI_NONAME, "x"),
            "host name of the proxy {0} is not known; check the proxy's",
        ),
    ],
)
def test_with_a_proxy_it_is_the_proxy_s_address(cause: Exception, words: str) -> None:
    told = transport_error(failed(cause), server=SERVER, proxy=PROXY)
    assert words.format("proxy.example:3128") in str(told)
    assert "SENTINEL" not in str(told)


def test_in_a_tunnel_the_certificate_is_the_server_s() -> None:
    told = transport_error(failed(ssl.SSLCertVerificationError("x")), server=SERVER, proxy=PROXY)
    assert "certificate of model.example:8443" in str(told)


def test_without_a_tunnel_it_is_that_of_a_proxy_that_speaks_https() -> None:
    plain, proxy = Peer("http", "model.example", 80), Peer("https", "proxy.example", 3128, is_proxy=True)
    told = transport_error(failed(ssl.SSLCertVerificationError("x")), server=plain, proxy=proxy)
    assert f"certificate of {proxy} cannot be verified" in str(told)


@pytest.mark.parametrize(
    ("words", "told", "retryable"),
    [
        ("407 Proxy Authentication Required", "wants a name and a password", False),
        ("403 Forbidden", "the proxy at {1} did not connect to {0} (status 403)", False),
        ("502 Bad Gateway", "the proxy at {1} did not connect to {0} (status 502)", True),
        ("429 Slow down", "(status 429)", True),
        (
            "Proxy Server could not connect: Host unreachable.",
            "the proxy at {1} did not connect to {0}",
            True,
        ),
    ],
)
def test_a_proxy_that_refuses(words: str, told: str, retryable: bool) -> None:
    error = transport_error(failed(name="ProxyError", words=words), server=SERVER, proxy=PROXY)
    assert error is not None
    assert told.format("model.example:8443", "proxy.example:3128") in str(error)
    assert error.retryable is retryable
    assert transport_error(failed(name="ProxyError", words=words)) is not None


async def _refuse(client: SocketStream) -> None:
    await client.receive()
    await client.aclose()


async def _speak(words: bytes, client: SocketStream) -> None:
    await client.receive()
    await client.send(words)
    await client.aclose()


@asynccontextmanager
async def listening(
    serve: Callable[[SocketStream], Awaitable[None]], *, encrypted: bool = False
) -> AsyncGenerator[int, None]:
    """A server of sockets on this machine, and its port."""

    async def handle(client: SocketStream) -> None:
        async with client:
            # The other side may hang up, or never agree on TLS.
            with suppress(
                anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, ssl.SSLError
            ):
                if encrypted:
                    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                    context.load_cert_chain(CERTIFICATE)
                    await TLSStream.wrap(client, server_side=True, ssl_context=context)
                await serve(client)

    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, handle)
        yield listener.extra(SocketAttribute.local_port)
        tasks.cancel_scope.cancel()


async def failure_of(url: str, **options: Any) -> ProviderError:
    """How a provider fails to reach an address that holds secrets."""
    _, failure = await ask(f"{url}/SENTINEL/v1?key=SENTINEL", max_retries=0, **options)
    assert failure is not None
    for text in (str(failure), repr(failure), failure.detail or "", str(failure.__cause__)):
        assert "SENTINEL" not in text
    return failure


@pytest.mark.anyio
class TestRealSockets:
    async def test_nothing_listens(self, free_tcp_port: int) -> None:
        for host in ("127.0.0.1", "localhost"):
            failure = await failure_of(f"http://{host}:{free_tcp_port}")
            assert str(failure).endswith(f"nothing listens at {host}:{free_tcp_port}; is the server running?")
            assert failure.retryable

    @pytest.mark.parametrize(("number", "retryable"), [(socket.EAI_NONAME, False), (socket.EAI_AGAIN, True)])
    async def test_an_unknown_name(
        self, monkeypatch: pytest.MonkeyPatch, number: int, retryable: bool
    ) -> None:
        def unknown(*args: object, **options: object) -> None:
            raise socket.gaierror(number, "words")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        failure = await failure_of("http://model.example:8080")
        assert "the host name of the server model.example:8080" in str(failure)
        assert failure.retryable is retryable

    async def test_a_certificate_that_nobody_vouches_for(self) -> None:
        async with listening(_refuse, encrypted=True) as port:
            failure = await failure_of(f"https://localhost:{port}")
        assert f"the certificate of localhost:{port} cannot be verified: self-signed" in str(failure)
        assert not failure.retryable

    async def test_a_certificate_of_somebody_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        look_up = socket.getaddrinfo

        def local(host: Any, *args: Any, **options: Any) -> Any:
            return look_up(
                "127.0.0.1" if host in ("other.example", b"other.example") else host, *args, **options
            )

        monkeypatch.setattr(socket, "getaddrinfo", local)
        trusting = ssl.create_default_context(cafile=CERTIFICATE)
        async with listening(_refuse, encrypted=True) as port, httpx2.AsyncClient(verify=trusting) as client:
            failure = await failure_of(f"https://other.example:{port}", http_client=client)
        assert f"the certificate of other.example:{port} cannot be verified: Hostname mismatch" in str(
            failure
        )
        assert not failure.retryable

    async def test_https_to_a_port_of_http(self) -> None:
        bad_request = partial(_speak, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        async with listening(bad_request) as port:
            failure = await failure_of(f"https://127.0.0.1:{port}")
        assert f"127.0.0.1:{port} does not speak HTTPS; if it speaks HTTP, base_url must" in str(failure)
        assert not failure.retryable

    async def test_https_to_one_that_hangs_up(self) -> None:
        async with listening(_refuse) as port:
            failure = await failure_of(f"https://127.0.0.1:{port}")
        assert f"127.0.0.1:{port}" in str(failure)
        assert "encrypted" in str(failure)
        assert failure.retryable

    async def test_http_to_a_port_of_https(self) -> None:
        async with listening(_refuse, encrypted=True) as port:
            failure = await failure_of(f"http://127.0.0.1:{port}")
        assert f"127.0.0.1:{port}" in str(failure)
        assert "if it speaks HTTPS, its address must begin with https://" in str(failure)

    @pytest.mark.parametrize("words", [b"\x15\x03\x01\x00\x02\x02F", b"\x15\x03\x03\x00\x02\x02\x16"])
    async def test_an_alert_of_tls(self, words: bytes) -> None:
        async with listening(partial(_speak, words)) as port:
            failure = await failure_of(f"http://127.0.0.1:{port}")
        assert f"what answers at 127.0.0.1:{port} does not speak HTTP; if the server speaks HTTPS" in str(
            failure
        )
        assert not failure.retryable

    @pytest.mark.parametrize(
        "words",
        [
            b"Client sent an HTTP request to an HTTPS server.\n",
            b"<html><h1>400 Bad Request</h1><center>The plain HTTP request was sent to HTTPS port</center>",
        ],
    )
    async def test_a_server_of_https_that_says_so(self, words: bytes) -> None:
        answer = b"HTTP/1.0 400 Bad Request\r\nConnection: close\r\n\r\n" + words
        async with listening(partial(_speak, answer)) as port:
            failure = await failure_of(f"http://127.0.0.1:{port}")
        assert "it speaks HTTPS at this port; base_url must begin with https://" in str(failure)

    async def test_a_proxy_that_is_down(self, monkeypatch: pytest.MonkeyPatch, free_tcp_port: int) -> None:
        monkeypatch.setenv("ALL_PROXY", f"http://me:SENTINEL@127.0.0.1:{free_tcp_port}")
        for scheme in ("http", "https"):
            failure = await failure_of(f"{scheme}://model.example")
            assert f"nothing listens where the proxy should be, at 127.0.0.1:{free_tcp_port};" in str(failure)
            assert failure.retryable

    @pytest.mark.parametrize(
        ("status", "words", "retryable"),
        [
            (407, "wants a name and a password", False),
            (403, "did not connect to model.example:443 (status 403)", False),
            (502, "did not connect to model.example:443 (status 502)", True),
        ],
    )
    async def test_a_proxy_that_refuses(
        self, monkeypatch: pytest.MonkeyPatch, status: int, words: str, retryable: bool
    ) -> None:
        answer = f"HTTP/1.1 {status} Words\r\nContent-Length: 0\r\n\r\n".encode()
        async with listening(partial(_speak, answer)) as port:
            monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
            failure = await failure_of("https://model.example")
        assert f"the proxy at 127.0.0.1:{port} {words}" in str(failure)
        assert failure.retryable is retryable
