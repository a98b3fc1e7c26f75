"""A served agent in memory: the real application, and requests to it without a socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, MutableMapping
from typing import Any, cast

from starlette.types import ASGIApp

from finalturn import Agent
from finalturn._serve import app as _app
from finalturn._serve import front_end_routes as _front_end_routes
from finalturn._serve import router as _router
from finalturn._serve import session_routes as _session_routes
from finalturn._serve.requests import route as _route
from finalturn._serve.served import Served
from finalturn.serve import ApiKeys, DepsForRequest, ServeConfig, create_app

AT_ONCE = ServeConfig(buffer=1)
"""The turn waits until its client has taken what was shown, as it does on a stream that is pulled."""

DEFAULT = ServeConfig()

_apps: dict[object, Any] = {}

_MAKERS: tuple[Any, ...] = (
    _app.create_app,
    _router.routers_of,
    _router.NativeRoutes.add_to,
    _front_end_routes.FrontEndRoutes.add_to,
    _route.route_class,
    _session_routes.SessionRoutes.add_to,
)
"""What makes an application: when a mutant changes one of them, another is made."""


def app_of(
    agent: Agent[Any, Any],
    config: ServeConfig = DEFAULT,
    *,
    keys: ApiKeys | None = None,
    deps: DepsForRequest[Any] | None = None,
) -> ASGIApp:
    """An application that serves an agent alone, and is not asked for its sessions.

    Its routes are made once, which takes longer than most turns; all that a turn touches is new.
    """
    key = config, keys, tuple(maker.__code__ for maker in _MAKERS)
    app = _apps.get(key)
    if app is None:
        app = _apps[key] = create_app(agent, keys=keys, config=config, deps=cast("Any", deps))
    served: Served = app.state.finalturn
    served.__init__(agent, None, config, deps)  # type: ignore[misc]
    found: ASGIApp = app
    return found


class Exchange:
    """One request, and what its client gets.

    Attributes:
        status: of the answer.
        headers: of the answer, with lower-case names.
        body: what has arrived.
        gone: set it to close the connection.
    """

    def __init__(self, on_body: Callable[[bytes], None] = lambda body: None) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.gone = asyncio.Event()
        self._on_body = on_body
        self._request: list[bytes] = []

    async def send(
        self,
        app: ASGIApp,
        method: str,
        target: str,
        body: Any = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send the request, and read the answer to its end, or until the connection is closed.

        Args:
            app: answers.
            method: of HTTP.
            target: the path, with the query.
            body: as JSON types.
            headers: beside those of every request.
        """
        path, _, query = target.partition("?")
        self._request = [] if body is None else [json.dumps(body).encode()]
        sent = {"host": "localhost", **({} if body is None else {"content-type": "application/json"})}
        sent |= headers or {}
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("localhost", 80),
            "state": {},
        }
        await app(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if self._request:
            return {"type": "http.request", "body": self._request.pop(), "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            found: list[tuple[bytes, bytes]] = message["headers"]
            self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in found}
        elif not self.gone.is_set():
            self.body += message.get("body", b"")
            self._on_body(message.get("body", b""))
        if self.gone.is_set():
            # Nobody takes anything any more.
            await asyncio.Event().wait()
