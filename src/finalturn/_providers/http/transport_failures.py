"""Turns an exception of the HTTP client into a `ProviderError` that names the host and port.

Nothing else of an address is told: its path, its query and who asks may be secret.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator
from typing import NamedTuple

from finalturn._core.errors import ProviderError
from finalturn._providers.http.peer import Peer

_CLIENTS = frozenset({"httpx", "httpx2"})
_PROBLEMS = {
    "PoolTimeout": "no connection to the provider came free in time",
    "TimeoutException": "the provider said nothing for too long",
    "DecodingError": "the provider's answer could not be decompressed",
    "LocalProtocolError": "the request to the provider could not be written; check the client's headers",
    "UnsupportedProtocol": "the provider's address cannot be used; check base_url",
    "TransportError": "the connection to the provider broke",
}
_FAULTS = frozenset({"LocalProtocolError", "UnsupportedProtocol"})

_NOT_TLS = re.compile(
    r"WRONG_VERSION_NUMBER|HTTP_REQUEST|UNKNOWN_PROTOCOL|PACKET_LENGTH_TOO_LONG|RECORD_LAYER"
)
_NO_NAME = frozenset(
    getattr(socket, name) for name in ("EAI_NONAME", "EAI_NODATA", "EAI_FAIL") if hasattr(socket, name)
)
_NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN})
_HUNG_UP = frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})

# How each of them begins.
_LOST = "the provider could not be reached"


class _Problem(NamedTuple):
    text: str
    may_pass: bool = True


def transport_error(
    error: Exception, *, server: Peer | None = None, proxy: Peer | None = None
) -> ProviderError | None:
    """An exception of httpx2 or httpx; ``None`` for any other.

    Known by name, so that neither needs to be imported to tell.

    Args:
        server: who was asked.
        proxy: who was asked to pass the request on, if anybody was.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__ if kind.__module__.partition(".")[0] in _CLIENTS}
    if "ConnectError" in kinds:
        problem = _not_connected(error, server, proxy)
    elif "ConnectTimeout" in kinds:
        problem = _Problem(f"{_LOST} in time{_silent(proxy or server)}")
    elif "ProxyError" in kinds:
        problem = _not_passed_on(str(error), server, proxy)
    elif "RemoteProtocolError" in kinds and server is not None:
        problem = _not_http(str(error), proxy or server)
    else:
        name = next((name for name in _PROBLEMS if name in kinds), None)
        if name is None:
            return None
        problem = _Problem(_PROBLEMS[name], name not in _FAULTS)
    failure = ProviderError(problem.text, retryable=problem.may_pass, detail=type(error).__name__)
    if kinds & {"ConnectError", "ProxyError"}:
        # What the system says, for a developer's eyes: it names no more than a host and a port.
        failure.__cause__ = next(iter(_causes(error)), None)
    return failure


def _not_connected(error: Exception, server: Peer | None, proxy: Peer | None) -> _Problem:
    """No connection stands: one of the reasons that the system or TLS has given."""
    first = proxy or server
    at, peer_name = ("", "") if first is None else (f" at {first}", f" {first}")
    causes = list(_causes(error))
    # Inside a tunnel, and without a proxy, it is the server whose certificate is looked at.
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            plain = server is None or server.scheme != "https"
            inner = proxy if proxy is not None and proxy.scheme == "https" and plain else server
            return _not_encrypted(cause, inner or first)
        if isinstance(cause, socket.gaierror):
            name = f"the host name of the {_kind(first, 'server', 'proxy')}{peer_name}"
            if cause.errno in _NO_NAME:
                return _Problem(f"{_LOST}: {name} is not known; check {_source(first)}", False)
            return _Problem(f"{_LOST}: {name} could not be looked up; is there a network?")
    numbers = {number for cause in causes for number in _numbers(cause)}
    if errno.ECONNREFUSED in numbers:
        kind = _kind(first, "server", "proxy")
        owner = " where the proxy should be," if kind == "proxy" else ""
        return _Problem(f"{_LOST}: nothing listens{owner}{at}; is the {kind} running?")
    if numbers & _NO_WAY:
        return _Problem(f"{_LOST}: there is no way to what is{at}; is there a network?")
    if errno.ETIMEDOUT in numbers:
        return _Problem(f"{_LOST} in time{_silent(first)}")
    if numbers & _FORBIDDEN:
        return _Problem(f"{_LOST}: this machine lets no connection out to what is{at}")
    if server is not None and server.scheme == "https":
        return _Problem(
            f"{_LOST}: the connection{at} ended before it was encrypted; does the server speak HTTPS there?"
        )
    return _Problem(f"{_LOST}{at}")


def _not_encrypted(cause: ssl.SSLError, peer: Peer | None) -> _Problem:
    where = "the server" if peer is None else str(peer)
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = re.sub(r"\s*\(_ssl\.c.*", "", _openssl_text(cause, "verify_message"))
        return _Problem(
            f"{_LOST}: the certificate of {where} cannot be verified: {reason or 'it is not trusted'}; check"
            " base_url, or trust its authority (SSL_CERT_FILE, or an http_client of your own)",
            False,
        )
    reason = _openssl_text(cause, "reason")
    if _NOT_TLS.search(reason) or _NOT_TLS.search(str(cause)):
        return _Problem(
            f"{_LOST}: {where} does not speak HTTPS; if it speaks HTTP, base_url must begin with http://",
            False,
        )
    problem = f"{_LOST}: no encrypted connection to {where} came about ({reason or type(cause).__name__})"
    return _Problem(problem, "ALERT" not in reason)


def _openssl_text(cause: ssl.SSLError, name: str) -> str:
    """What OpenSSL says; an exception that Python itself has made says nothing."""
    text: object = getattr(cause, name, None)
    return text if isinstance(text, str) else ""


def _not_passed_on(words: str, server: Peer | None, proxy: Peer | None) -> _Problem:
    """The proxy answers, and does not do what it is asked."""
    where = "the proxy" if proxy is None else f"the proxy at {proxy}"
    target = "the provider" if server is None else str(server)
    match = re.match(r"\s*([45]\d\d)\b", words)
    status = 0 if match is None else int(match[1])
    if status == 407 or "auth" in words.lower():
        return _Problem(f"{_LOST}: {where} wants a name and a password, which go into its address", False)
    stated = f" (status {status})" if status else ""
    forbidden = 400 <= status < 500 and status not in (408, 429)
    return _Problem(f"{_LOST}: {where} did not connect to {target}{stated}", not forbidden)


def _not_http(words: str, peer: Peer) -> _Problem:
    kind = _kind(peer, "server", "proxy")
    if peer.scheme == "http" and re.search(r"illegal (?:request|status) line", words):
        # Such as the alert of TLS, with which a server of HTTPS answers.
        return _Problem(
            f"{_LOST}: what answers at {peer} does not speak HTTP; if the {kind} speaks HTTPS, its address"
            " must begin with https://",
            False,
        )
    if peer.scheme == "http" and "without sending a response" in words:
        return _Problem(
            f"the connection to the provider broke: the {kind} at {peer} closed it without an answer; if it"
            " speaks HTTPS, its address must begin with https://"
        )
    return _Problem(_PROBLEMS["TransportError"])


def _kind(peer: Peer | None, server: str, proxy: str) -> str:
    return proxy if peer is not None and peer.is_proxy else server


def _source(peer: Peer | None) -> str:
    return _kind(peer, "base_url", "the proxy's address")


def _silent(peer: Peer | None) -> str:
    if peer is None:
        return ""
    return f": the {_kind(peer, 'server', 'proxy')} at {peer} does not answer"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What lies below an exception, the deepest of each branch first."""
    seen: set[int] = set()

    def below(exception: BaseException) -> Iterator[BaseException]:
        if id(exception) in seen:
            return
        seen.add(id(exception))
        group: tuple[BaseException, ...] = getattr(exception, "exceptions", ())
        for inner in (*group, exception.__cause__, exception.__context__):
            if inner is not None:
                yield from below(inner)
        if isinstance(exception, OSError):
            yield exception

    yield from below(error)


def _numbers(cause: BaseException) -> Iterator[int]:
    """The numbers of the system's errors. asyncio makes one text of several addresses' errors."""
    if isinstance(cause, OSError) and cause.errno is not None:
        yield cause.errno
    yield from map(int, re.findall(r"\[Errno (\d+)\]", str(cause)))
