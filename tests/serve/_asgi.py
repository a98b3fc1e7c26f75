"""A client of an ASGI application, in memory: every message of the protocol in the test's hands."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_to_bytes

from starlette.types import ASGIApp

Headers = Mapping[str, str | bytes]


@dataclass
class Answer:
    """An answer, as far as it has arrived."""

    status: int = 0
    headers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """The value of a header; ``None`` when there is none."""
        return next((value for found, value in self.headers if found == name.lower()), None)

    @property
    def json(self) -> Any:
        """The body, as JSON."""
        return json.loads(self.body)

    @property
    def records(self) -> list[dict[str, Any]]:
        """The body, as a stream of records."""
        return records_of(self.body)


def records_of(body: bytes) -> list[dict[str, Any]]:
    """The JSON records of server-sent events, without comments and records that are plain text."""
    found: list[dict[str, Any]] = []
    for event in body.decode("ascii").split("\n\n"):
        data = [line.removeprefix("data: ") for line in event.split("\n") if line.startswith("data: ")]
        if data and data[0].startswith("{"):
            (line,) = data
            found.append(json.loads(line))
    return found


class Exchange:
    """One request, and its answer as it arrives. Made by `Client.open`."""

    def __init__(self, app: ASGIApp, scope: dict[str, Any], body: list[bytes]) -> None:
        self.answer = Answer()
        self.ended = False
        self.paused = asyncio.Event()
        self.paused.set()
        self._body = list(body) or [b""]
        self._gone = asyncio.Event()
        self._changed = asyncio.Condition()
        self._task = asyncio.create_task(self._serve(app, scope))

    async def _serve(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            self.ended = True
            async with self._changed:
                self._changed.notify_all()

    async def _receive(self) -> dict[str, Any]:
        if self._body:
            part = self._body.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(self._body)}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        await self.paused.wait()
        if self._gone.is_set():
            raise OSError("the client is gone")
        if message["type"] == "http.response.start":
            self.answer.status = message["status"]
            self.answer.headers = [
                (name.decode("latin-1").lower(), value.decode("latin-1"))
                for name, value in message["headers"]
            ]
        else:
            self.answer.body += message.get("body", b"")
        async with self._changed:
            self._changed.notify_all()

    async def until(self, text: bytes) -> None:
        """Wait until the body holds a text.

        Raises:
            AssertionError: the answer ended without it.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: text in self.answer.body or self.ended)
        assert text in self.answer.body, f"the answer ended without {text!r}: {self.answer.body!r}"

    async def read(self) -> Answer:
        """Wait for the end of the answer."""
        await self._task
        return self.answer

    def pause(self) -> None:
        """Take nothing more, until `resume`."""
        self.paused.clear()

    def resume(self) -> None:
        """Take what comes again."""
        self.paused.set()

    async def leave(self) -> None:
        """Close the connection, and wait until the application is done with it."""
        self._gone.set()
        self.paused.set()
        await self._task


class Client:
    """Sends requests to an application.

    Args:
        app: the application.
        headers: of every request.
    """

    def __init__(self, app: ASGIApp, headers: Headers | None = None) -> None:
        self._app = app
        self._headers: Headers = headers or {}

    def open(
        self,
        method: str,
        target: str,
        *,
        json: Any = None,
        body: bytes | list[bytes] | None = None,
        headers: Headers | None = None,
    ) -> Exchange:
        """Send a request, and read its answer as it arrives.

        Args:
            method: of HTTP.
            target: the path, percent-encoded, with the query.
            json: the body, as JSON types; sent as ``application/json``.
            body: the body, or the pieces of one of unknown length.
            headers: beside those of every request.
        """
        path, _, query = target.partition("?")
        sent: dict[str, str | bytes] = {"host": "localhost:8000"}
        if json is not None:
            body = _dumps(json)
            sent["content-type"] = "application/json"
        if isinstance(body, bytes):
            sent["content-length"] = str(len(body))
        elif body is not None:
            sent["transfer-encoding"] = "chunked"
        sent |= {name.lower(): value for name, value in {**self._headers, **(headers or {})}.items()}
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode("latin-1"), _bytes(value)) for name, value in sent.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("localhost", 8000),
            "state": {},
        }
        parts = [body] if isinstance(body, bytes) else (body or [])
        return Exchange(self._app, scope, parts)

    async def send(self, method: str, target: str, **parts: Any) -> Answer:
        """Send a request, and wait for the end of its answer; see `open`."""
        return await self.open(method, target, **parts).read()


@asynccontextmanager
async def lifespan(app: ASGIApp) -> AsyncGenerator[None, None]:
    """Start an application, and stop it."""
    started, stopping, stopped = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def receive() -> dict[str, Any]:
        if not started.is_set():
            return {"type": "lifespan.startup"}
        await stopping.wait()
        return {"type": "lifespan.shutdown"}

    async def send(message: MutableMapping[str, Any]) -> None:
        assert not message["type"].endswith("failed"), message
        (started if "startup" in message["type"] else stopped).set()

    scope: dict[str, Any] = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}

    async def serve() -> None:
        await app(scope, receive, send)

    task = asyncio.create_task(serve())
    await started.wait()
    try:
        yield
    finally:
        stopping.set()
        await stopped.wait()
        await task


def _bytes(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("latin-1")


def _dumps(value: Any) -> bytes:
    return json.dumps(value).encode()
