"""Clients that are no good: silent ones, slow ones, and those that read nothing. They fill a server up."""

from __future__ import annotations

import asyncio
import random
import socket
from contextlib import suppress

_HEAD = b"POST /v1/chat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
_SENT = (
    b"",
    b"GET / HT",
    _HEAD + b"Content-Length: 1000\r\n\r\n{",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 40,
)


class Crowd:
    """As many of them as the server lets in, and more, until it is cancelled.

    Args:
        port: of the server.
        size: how many there are at the same time.
    """

    def __init__(self, port: int, size: int) -> None:
        self._port = port
        self._size = size
        self.shown_out = 0

    async def run(self) -> None:
        """Come, and come back when shown out."""
        async with asyncio.TaskGroup() as group:
            for number in range(self._size):
                group.create_task(self._one(number))

    async def _one(self, number: int) -> None:
        chance = random.Random(number)
        while True:
            await asyncio.sleep(chance.uniform(0.0, 2.0))
            with suppress(OSError):
                await self._stay(_SENT[number % len(_SENT)])
            self.shown_out += 1

    async def _stay(self, sent: bytes) -> None:
        loop = asyncio.get_running_loop()
        with socket.socket() as connection:
            connection.setblocking(False)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            await loop.sock_connect(connection, ("127.0.0.1", self._port))
            await loop.sock_sendall(connection, sent)
            if not sent.endswith(b"\r\n\r\n"):
                # Only a connection that is closed gives anything.
                await loop.sock_recv(connection, 1)
            else:
                # Nothing is read, and so nothing tells that it was shown out.
                await asyncio.sleep(10.0)
