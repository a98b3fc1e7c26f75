"""Reads the proxies that the environment names, and reports those that cannot be used.

An address that is none must not stop a request that would not go through it, and must not stop a `Fallback`:
it is found out by the request that does. What the variables mean is as httpx2 documents it ("Environment
variables"): ``HTTP_PROXY``, ``HTTPS_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``. Those in lower case come first.
"""

from __future__ import annotations

import os
import ssl
from ipaddress import ip_network
from typing import Any
from urllib.request import getproxies

import httpx2

from finalturn._core.errors import ProviderError
from finalturn._providers.http.peer import PORTS, Peer, peer_of

_SCHEMES = ("http", "https", "all")
_OF_PROXIES = ("http", "https", "socks5", "socks5h")


class UnusableProxy(httpx2.AsyncBaseTransport):
    """Stands where a proxy should.

    Args:
        problem: what is wrong with it.
    """

    def __init__(self, problem: str) -> None:
        self._problem = problem

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Say what is wrong.

        Raises:
            ProviderError: always.
        """
        raise ProviderError(self._problem)


def mounts_of_environment(
    limits: httpx2.Limits, verify: ssl.SSLContext
) -> dict[str, httpx2.AsyncBaseTransport | None]:
    """The transports of a client that goes through the environment's proxies.

    Args:
        limits: how many connections each may hold.
        verify: what is trusted.
    """
    by_scheme = getproxies()
    exempt = [entry.strip() for entry in by_scheme.get("no", "").split(",")]
    if "*" in exempt:
        return {}
    mounts: dict[str, httpx2.AsyncBaseTransport | None] = {
        f"{scheme}://": _transport(_variable(scheme, by_scheme[scheme]), by_scheme[scheme], limits, verify)
        for scheme in _SCHEMES
        if by_scheme.get(scheme)
    }
    mounts |= {pattern: None for pattern in map(_pattern, exempt) if pattern is not None} if mounts else {}
    return mounts


def proxy_for(client: object, url: str) -> Peer | None:
    """The proxy that a client sends a request through, as far as it can be told.

    Neither client says so; both keep it at the same place.
    """
    try:
        inside: Any = client
        proxy: Any = inside._transport_for_url(httpx2.URL(url))._pool._proxy_url
        host, scheme, port = proxy.host.decode("ascii"), proxy.scheme.decode("ascii"), proxy.port
    except Exception:
        return None
    return Peer(scheme, host.strip("[]"), port or PORTS.get(scheme, 0), is_proxy=True)


def _transport(
    variable: str, address: str, limits: httpx2.Limits, verify: ssl.SSLContext
) -> httpx2.AsyncBaseTransport:
    address = address.strip()
    if "://" not in address:
        address = f"http://{address}"
    peer = peer_of(address)
    problem = "it is no address such as http://127.0.0.1:3128"
    if peer is not None and peer.scheme.lower() not in _OF_PROXIES:
        problem = f"its scheme is none of {', '.join(_OF_PROXIES)}"
    elif peer is not None and peer.port:
        try:
            return httpx2.AsyncHTTPTransport(proxy=address, limits=limits, verify=verify, trust_env=False)
        except ImportError:
            problem = "a SOCKS proxy needs another package: pip install 'httpx2[socks]'"
        except Exception:
            # Whatever it is: its text may quote the address, and the password in it.
            pass
    return UnusableProxy(
        f"the provider could not be reached: the proxy of {variable} cannot be used; {problem}"
    )


def _variable(scheme: str, value: str) -> str:
    """The variable that holds a proxy's address. The one in lower case counts, where there are two."""
    wanted = f"{scheme}_proxy"
    names = [name for name in os.environ if name.lower() == wanted and os.environ[name] == value]
    return max(names, key=str.islower, default="the system's settings")


def _pattern(entry: str) -> str | None:
    """Where no proxy is used, as a client's mounts name it; ``None`` where an entry means nothing."""
    pattern = entry if "://" in entry else _of_host(entry)
    if not entry or pattern is None:
        return None
    try:
        # It reads a pattern as it is made.
        httpx2.AsyncClient(transport=UnusableProxy(""), mounts={pattern: None})
    except Exception:
        return None
    return pattern


def _of_host(entry: str) -> str | None:
    try:
        network = ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        if "/" in entry:
            return None
        if entry.startswith(("[", "*.")) or entry.lower() == "localhost":
            return f"all://{entry}"
        # A domain stands for its subdomains too; one that begins with a dot, for them alone.
        return f"all://*{entry}"
    prefix = f"/{network.prefixlen}" if "/" in entry else ""
    address = str(network.network_address) if prefix else entry.strip("[]")
    return f"all://[{address}]{prefix}" if network.version == 6 else f"all://{address}{prefix}"
