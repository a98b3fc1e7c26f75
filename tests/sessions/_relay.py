"""A relay between a client and its server that can stop to pass anything on, as a broken network does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

__all__ = ["Relay", "relay"]


class Relay:
    """Passes on what it gets, both ways, as long as it is told to. It closes no connection of itself.

    Args:
        target: the port of the server on this machine.

    Attributes:
        port: where it listens.
        silent: whether it passes nothing on. It takes connections all the same.
    """

    def __init__(self, target: int, *, silent: bool) -> None:
        self.port = 0
        self.silent = silent
        self._target = target
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        ends = [writer]
        try:
            if self.silent:
                await asyncio.Event().wait()
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            ends.append(back)
            await asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for end in ends:
                end.transport.abort()
                with suppress(OSError):
                    await end.wait_closed()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            if self.silent:
                await asyncio.Event().wait()
            writer.write(data)
            await writer.drain()
        # Whoever has closed one end wants to close the other.
        writer.write_eof()

    async def close(self) -> None:
        """End every connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def relay(target: int, *, silent: bool = False) -> AsyncGenerator[Relay]:
    """A relay on a free port of the loopback."""
    made = Relay(target, silent=silent)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        await made.close()
