"""Checks which origins may use a server from a browser, and which headers they may send."""

from __future__ import annotations

import re
from collections.abc import Iterable

from finalturn._core.errors import ConfigurationError

__all__ = ["READ_HEADERS", "check_cors_headers", "check_origins"]

READ_HEADERS = ("Authorization", "Content-Type", "Last-Event-ID")
"""The request headers that the server reads, and that a page has to ask for."""

# Clients in a browser name themselves in it, such as the AI SDK's.
_HARMLESS = ("User-Agent",)

# As browsers write it (RFC 6454, section 6.2): in lower case, with nothing behind the host or the port.
_ORIGIN = re.compile(r"https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
_DEFAULT_PORT = re.compile(r"(http://.*:80|https://.*:443)")


def check_origins(origins: Iterable[str]) -> tuple[str, ...]:
    """The origins, if each can be compared with what browsers send.

    Raises:
        ConfigurationError: one of them cannot, or is ``"*"`` or ``"null"``, which stand for any page.
    """
    if isinstance(origins, str):
        raise ConfigurationError("cors_origins must be a list of origins, not one text")
    checked = tuple(origins)
    for place, origin in enumerate(checked):
        if not _is_origin(origin):
            raise ConfigurationError(
                f"cors_origins[{place}] must be the origin of one web page as browsers send it, such as"
                ' "https://app.example" or "http://localhost:3000": in lower case, without a path, without a'
                ' default port, and neither "*" nor "null"'
            )
    return checked


def check_cors_headers(names: Iterable[str]) -> tuple[str, ...]:
    """The headers that pages of other origins may send, with those that the server reads.

    Args:
        names: further ones; ``"*"`` for any.

    Returns:
        All names, or ``"*"`` alone.

    Raises:
        ConfigurationError: one of them is no name of a header.
    """
    if isinstance(names, str):
        raise ConfigurationError("cors_headers must be a list of names, not one text")
    checked = tuple(names)
    for place, name in enumerate(checked):
        if not (isinstance(name, str) and _TOKEN.fullmatch(name)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ConfigurationError(
                f'cors_headers[{place}] must be the name of a header, such as "X-Tenant", or "*" for any'
            )
    return ("*",) if "*" in checked else (*READ_HEADERS, *_HARMLESS, *checked)


# A token of HTTP (https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2).
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def _is_origin(text: object) -> bool:
    return isinstance(text, str) and bool(_ORIGIN.fullmatch(text)) and not _DEFAULT_PORT.fullmatch(text)
