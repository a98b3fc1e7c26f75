"""Opens the socket that a server listens on."""

from __future__ import annotations

import errno
import socket
from ipaddress import ip_address

from finalturn import ConfigurationError

__all__ = ["address_of", "is_loopback", "listen"]

_BACKLOG = 2048


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it: all addresses of the host are of the loopback.

    Raises:
        ConfigurationError: there is no such host.
    """
    return all(ip_address(address.partition("%")[0]).is_loopback for _, address in _addresses(host))


def listen(host: str, port: int) -> socket.socket:
    """Listen.

    Args:
        host: a name or an address.
        port: 0 for one that is free.

    Raises:
        ConfigurationError: there is no such host, or the port is in use or not allowed.
    """
    family, address = _addresses(host)[0]
    try:
        return socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ConfigurationError(_why_not(error, host, port)) from None


def address_of(listener: socket.socket) -> str:
    """The address to open in a browser on this machine."""
    host, port = listener.getsockname()[:2]
    if ip_address(host.partition("%")[0]).is_unspecified:
        host = "::1" if listener.family == socket.AF_INET6 else "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _addresses(host: str) -> list[tuple[socket.AddressFamily, str]]:
    """Its addresses, those of IPv4 first; no host at all is every address of this machine."""
    try:
        infos = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise ConfigurationError(f"--host {host}: there is no such host") from None
    ordered = sorted(infos, key=lambda info: info[0] != socket.AF_INET)
    return [(family, str(address[0])) for family, _, _, _, address in ordered]


def _why_not(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"--port {port}: it is in use on {host}; give another one, or 0 for one that is free"
        case errno.EACCES | errno.EPERM:
            return f"--port {port}: this user may not listen on it; give one above 1023"
        case errno.EADDRNOTAVAIL:
            return f"--host {host}: this machine has no such address"
        case _:
            return f"--host {host} --port {port}: listening failed: {error.strerror or type(error).__name__}"
