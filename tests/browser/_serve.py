"""Real servers, on the loop of the test."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals stay with pytest."""
        yield


@asynccontextmanager
async def serving(app: Any) -> AsyncGenerator[str]:
    """The address of the application, while it is served."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="on", timeout_graceful_shutdown=1)
        server = _Server(config)
        task = asyncio.create_task(server.serve([listening]))
        try:
            # The socket listens already: a browser that is early waits.
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            await task


class Line:
    """A connection to a server that can be cut: a TCP proxy."""

    def __init__(self, address: str) -> None:
        self._open: set[asyncio.StreamWriter] = set()
        self.down = False
        self.lead_to(address)

    def lead_to(self, address: str) -> None:
        """Reach that server from now on."""
        self._port = int(address.rstrip("/").rpartition(":")[2])

    def cut(self) -> None:
        """Break all connections."""
        for writer in list(self._open):
            writer.transport.abort()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry bytes both ways until one side ends."""
        if self.down:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._port)
        ends = {writer, far_writer}
        self._open |= ends
        ways = _carry(reader, far_writer), _carry(far_reader, writer)
        tasks = [asyncio.create_task(way) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for end in ends:
                end.transport.abort()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._open -= ends


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while some := await reader.read(65536):
        writer.write(some)
        await writer.drain()


@asynccontextmanager
async def line_to(address: str) -> AsyncGenerator[tuple[Line, str]]:
    """A line to a server, and the address of its near end."""
    line = Line(address)
    near = await asyncio.start_server(line.connect, "127.0.0.1", 0)
    async with near:
        yield line, f"http://127.0.0.1:{near.sockets[0].getsockname()[1]}/"
        line.down = True
        line.cut()
