"""A real HTTP server on this machine that says, byte for byte, what a test has written down."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import anyio
from anyio.abc import SocketAttribute, SocketStream, TaskStatus

HOLD: Final = "hold"
"""Say nothing more until the client hangs up."""

CLOSE: Final = "close"
"""Hang up."""

Step = bytes | str | anyio.Event
Reply = Sequence[Step]


class Request(NamedTuple):
    """What a client has asked."""

    target: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def head(status: int = 200, kind: str = "text/event-stream", *headers: str, chunked: bool = True) -> bytes:
    """The head of an answer."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", *headers]
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def chunk(data: bytes) -> bytes:
    """A piece of a body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


END = b"0\r\n\r\n"


def stream(*pieces: bytes) -> Reply:
    """A whole event stream, its end in the same bytes as its last piece."""
    return [head() + b"".join(map(chunk, pieces)) + END]


def document(data: Any, status: int = 200, *headers: str) -> Reply:
    """A JSON document."""
    body = data if isinstance(data, bytes) else json.dumps(data).encode()
    length = f"Content-Length: {len(body)}"
    return [head(status, "application/json", length, *headers, chunked=False) + body]


class Server:
    """What has happened to it."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.open = 0
        self.port = 0
        self._replies = list(replies)
        self._changed = anyio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to have happened."""
        with anyio.fail_after(20):
            while not condition():
                await self._changed.wait()

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self.port = listener.extra(SocketAttribute.local_port)
        async with listener:
            task_status.started()
            await listener.serve(self._serve)

    async def _serve(self, client: SocketStream) -> None:
        self.connections += 1
        self.open += 1
        try:
            async with client:
                while await self._answer(client):
                    pass
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        finally:
            self.open -= 1
            self._note()

    async def _answer(self, client: SocketStream) -> bool:
        self.requests.append(await _read_request(client))
        self._note()
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        for step in reply:
            if isinstance(step, anyio.Event):
                await step.wait()
            elif isinstance(step, bytes):
                await client.send(step)
            elif step == HOLD:
                await client.receive()
            else:
                return False
        return True

    def _note(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()


async def _read_request(client: SocketStream) -> Request:
    data = b""
    while b"\r\n\r\n" not in data:
        data += await client.receive()
    start, _, body = data.partition(b"\r\n\r\n")
    first, *lines = start.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += await client.receive()
    return Request(first.split(" ")[1], headers, body)


@asynccontextmanager
async def serving(*replies: Reply) -> AsyncGenerator[Server, None]:
    """A server that gives these replies, one for each request, and the last one again and again."""
    server = Server(replies)
    async with anyio.create_task_group() as tasks:
        await tasks.start(server.run)
        yield server
        tasks.cancel_scope.cancel()
