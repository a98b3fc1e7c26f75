"""Headers that every answer carries."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SecurityHeaders"]


class SecurityHeaders:
    """ASGI middleware that tells browsers to be careful with an answer. Headers that it has already stay.

    Args:
        app: what answers.
        cors: whether other web pages may use the server.
    """

    def __init__(self, app: ASGIApp, *, cors: bool = False) -> None:
        self._app = app
        self._headers = {
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
            **({} if cors else {"Cross-Origin-Resource-Policy": "same-origin"}),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._complete(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _complete(self, headers: MutableHeaders) -> None:
        for name, value in self._headers.items():
            headers.setdefault(name, value)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or kind.endswith("+json"):
            # Conversations stay out of caches.
            headers.setdefault("Cache-Control", "no-store")
