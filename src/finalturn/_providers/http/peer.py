"""The host and port that a connection goes to: the part of an address that may be shown."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class Peer(NamedTuple):
    """Whom a connection goes to.

    Attributes:
        host: a name or an IP address.
        is_proxy: it is asked to pass a request on.
    """

    scheme: str
    host: str
    port: int
    is_proxy: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def peer_of(url: str, *, is_proxy: bool = False) -> Peer | None:
    """Whom an address is about; ``None`` when it is none."""
    if not url.isprintable() or any(map(str.isspace, url)):
        # urlsplit would drop some of them without a word.
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        # As it is looked up: a name with an empty part is none.
        host.rstrip(".").encode("idna")
    except ValueError:
        return None
    if not host or port == 0:
        return None
    return Peer(parts.scheme, host, port or PORTS.get(parts.scheme, 0), is_proxy)
