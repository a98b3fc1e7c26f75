"""The least of HTTP/1.1 that a load needs: one request on a connection, its answer event by event."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

SMALL = 4096
"""Bytes: what a slow reader's socket takes in ahead of it."""


@dataclass(frozen=True)
class Event:
    """A server-sent event."""

    id: int
    record: dict[str, Any]


class Answer:
    """An answer whose head has arrived."""

    def __init__(
        self, status: int, headers: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.status = status
        self.headers = headers
        self._reader = reader
        self._writer = writer

    async def body(self) -> bytes:
        """All of it."""
        if self.headers.get("transfer-encoding") == "chunked":
            return b"".join([part async for part in self._parts()])
        return await self._reader.readexactly(int(self.headers.get("content-length", "0")))

    async def events(self) -> AsyncGenerator[list[Event]]:
        """The events as they arrive, those of one part of the body at once."""
        rest = b""
        async for part in self._parts():
            *whole, rest = (rest + part).split(b"\n\n")
            if found := [_event(one) for one in whole if not one.startswith(b":")]:
                yield found
        if rest:
            raise AssertionError(f"the body ends in the middle of an event: {rest[:80]!r}")

    async def _parts(self) -> AsyncGenerator[bytes]:
        while size := int(await self._reader.readline(), 16):
            part = await self._reader.readexactly(size + 2)
            yield part[:-2]
        await self._reader.readline()

    def close(self) -> None:
        """Leave, whether it has ended or not."""
        self._writer.transport.abort()


async def ask(
    port: int,
    method: str,
    target: str,
    *,
    json_body: Any = None,
    after: int | None = None,
    slow: bool = False,
) -> Answer:
    """Send a request, and read the head of its answer.

    Args:
        port: of the server, on this machine.
        method: of HTTP.
        target: path and query.
        json_body: the body.
        after: the ``Last-Event-ID``.
        slow: whether little is taken in ahead of the reader.
    """
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    connection.setblocking(False)
    if slow:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    try:
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
    except BaseException:
        connection.close()
        raise
    reader, writer = await asyncio.open_connection(sock=connection, limit=SMALL if slow else 65_536)
    body = b"" if json_body is None else json.dumps(json_body).encode()
    head = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Content-Length: {len(body)}"]
    if json_body is not None:
        head.append("Content-Type: application/json")
    if after is not None:
        head.append(f"Last-Event-ID: {after}")
    writer.write("\r\n".join([*head, "Connection: close", "", ""]).encode() + body)
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Answer(int(first.split(" ")[1]), headers, reader, writer)


def _event(text: bytes) -> Event:
    number, data = text.split(b"\n")
    if not (number.startswith(b"id: ") and data.startswith(b"data: ")):
        raise AssertionError(f"not an event of ours: {text[:80]!r}")
    return Event(int(number[4:]), json.loads(data[6:]))
