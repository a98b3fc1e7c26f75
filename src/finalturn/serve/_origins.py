"""Which other web pages may use a server."""

from __future__ import annotations

import re
from collections.abc import Iterable

from finalturn.core.errors import ConfigurationError

__all__ = ["check_origins"]

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
    found = tuple(origins)
    for place, origin in enumerate(found):
        if not _is_origin(origin):
            raise ConfigurationError(
                f"cors_origins[{place}] must be the origin of one web page as browsers send it, such as"
                ' "https://app.example" or "http://localhost:3000": in lower case, without a path, without a'
                ' default port, and neither "*" nor "null"'
            )
    return found


def _is_origin(text: object) -> bool:
    return isinstance(text, str) and bool(_ORIGIN.fullmatch(text)) and not _DEFAULT_PORT.fullmatch(text)
