"""Logs one line for each request."""

from __future__ import annotations

import logging
from time import monotonic

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from finalturn._support.logger import logger

__all__ = ["HEALTH_PATHS", "RequestLog"]

HEALTH_PATHS = ("/health", "/health/live")
"""Asked every few seconds, by load balancers and the like."""

_log = logger("finalturn.serve")


class RequestLog:
    """ASGI middleware that logs a request once it is over: its route, and nothing that was sent.

    The extras are ``method``, ``route`` (such as ``/v1/chat/stream/{run_id}``; ``None`` where none took it),
    ``status`` (``None`` without an answer), ``duration_ms``, ``run_id``, and ``complete``: whether the answer
    was sent to its end. A healthy ``/health`` or ``/health/live`` is logged at DEBUG, and an answer from 500
    on as a warning.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and log it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answer = _Answer()

        async def watched(message: Message) -> None:
            await send(message)
            answer.sent(message)

        begun = monotonic()
        try:
            await self._app(scope, receive, watched)
        finally:
            _write(scope, answer, monotonic() - begun)


class _Answer:
    def __init__(self) -> None:
        self.status: int | None = None
        self.run_id: str | None = None
        self.complete = False

    def sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.run_id = Headers(raw=list(message.get("headers", ()))).get("x-run-id")
        elif message["type"] == "http.response.body":
            self.complete = not message.get("more_body", False)


def _write(scope: Scope, answer: _Answer, seconds: float) -> None:
    route = getattr(scope.get("route"), "path", None)
    status = answer.status
    if status is None or status >= 500:
        level = logging.WARNING
    else:
        level = logging.DEBUG if route in HEALTH_PATHS and status == 200 else logging.INFO
    facts = {
        "method": _method(scope["method"]),
        "route": route,
        "status": status,
        "duration_ms": round(seconds * 1000, 1),
        "run_id": answer.run_id,
        "complete": answer.complete,
    }
    _log.log(level, "request", extra=facts)


def _method(method: str) -> str:
    """Anything can stand where a method belongs."""
    return method if method in _METHODS else "_OTHER"


_METHODS = frozenset({"CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE"})
