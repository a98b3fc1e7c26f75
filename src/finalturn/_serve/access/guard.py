"""Keeps other web pages from a server that asks nobody for a key.

A browser sends a request to a local server for any page that is open in it. The page cannot read the answer,
but the turn would run. With a name of its own that resolves to this machine (DNS rebinding), the page could
read the answer too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from finalturn._serve.access.origins import check_origins
from finalturn._serve.problems.problem import Problem, problem_response

__all__ = ["Guard"]

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_PORT = re.compile(r":[0-9]*$")
_SCHEMES = {"ws": "http", "wss": "https"}


class Guard:
    """ASGI middleware that refuses what another web page has sent, with 403.

    Args:
        app: what is kept.
        hosts: the names, without a port, by which the server is reached beside those of the loopback.
        origins: of the web pages that may use it.
    """

    def __init__(self, app: ASGIApp, *, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset((*_LOOPBACK, *(host.lower() for host in hosts)))
        self._origins = frozenset(check_origins(origins))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse it, or hand it on."""
        refusal = self._refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            # Before it is accepted, so that the server answers the handshake with 403.
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
        else:
            await problem_response(Problem("forbidden_origin", refusal))(scope, receive, send)

    def _refusal(self, scope: Scope) -> str | None:
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) != 1 or _PORT.sub("", hosts[0]) not in self._hosts:
            return "This server is not known by that name."
        if origins:
            own = _origin(scope, hosts[0])
            allowed = len(origins) == 1 and (origins[0] == own or origins[0] in self._origins)
            return None if allowed else _OTHER_PAGE
        sites = _values(scope, b"sec-fetch-site")
        foreign = any(value not in ("same-origin", "none") for value in sites)
        if not sites:
            # Older browsers say no more than the address of the page.
            foreign = any(not self._is_own(value, scope, hosts[0]) for value in _values(scope, b"referer"))
        return _OTHER_PAGE if foreign and not _follows_a_link(scope) else None

    def _is_own(self, address: str, scope: Scope, host: str) -> bool:
        """Whether an address is of this server, or of a page that may use it."""
        origin = "/".join(address.split("/", 3)[:3])
        return (
            origin == f"{_SCHEMES.get(scope['scheme'], scope['scheme'])}://{host}" or origin in self._origins
        )


def _origin(scope: Scope, host: str) -> str:
    """That of the server's own page."""
    return f"{_SCHEMES.get(scope['scheme'], scope['scheme'])}://{host}"


_OTHER_PAGE = "Another web page has sent this request."


def _follows_a_link(scope: Scope) -> bool:
    """Whether a person came from another page, by a link to the chat page.

    No other address may be opened like that: to get one can have an effect, such as to take a stream over.
    """
    return (
        scope.get("method") in ("GET", "HEAD")
        and scope.get("path") == f"{scope.get('root_path', '')}/"
        and _values(scope, b"sec-fetch-mode") == ["navigate"]
        and _values(scope, b"sec-fetch-dest") == ["document"]
    )


def _values(scope: Scope, name: bytes) -> list[str]:
    return [
        value.decode("latin-1").strip(" \t").lower() for key, value in scope["headers"] if key.lower() == name
    ]
