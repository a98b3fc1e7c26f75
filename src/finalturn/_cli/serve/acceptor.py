"""Accepts connections up to a limit, and closes those whose clients take too long.

At the limit, a connection that has asked nothing for a while makes room, and where there is none, the new one
is told to come back. So the process keeps descriptors for what its turns need, whoever comes.
"""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from uvicorn.server import ServerState

from finalturn._cli.serve.connection import Patience, PatientConnection
from finalturn._cli.serve.once_per_minute import OncePerMinute
from finalturn._serve.problems.failure import OVERLOADED
from finalturn._serve.problems.problem import Problem, problem_response
from finalturn._support.logger import logger

__all__ = ["Acceptor"]

_log = logger("finalturn.serve.connections")
_log.addFilter(OncePerMinute())

_NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_AFTER_NO_DESCRIPTOR = 1.0
_AFTER_A_LOST_ONE = 0.01
# A client that is told to come back is given as long to read it, and to say that it has.
_TO_READ_A_REFUSAL = 2.0
_MOST_REFUSALS = 32
# So much longer than a request needs to arrive that no honest client is sent away.
_QUIET = 2.0
_IN_A_ROW = 64


class Acceptor:
    """Accepts connections, up to a limit.

    Args:
        listener: a socket that listens.
        make: makes what reads a connection.
        state: of uvicorn; it knows all connections.
        most: connections at the same time.
        patience: how long clients may take.
    """

    def __init__(
        self,
        listener: socket.socket,
        make: Callable[[], PatientConnection],
        state: ServerState,
        *,
        most: int,
        patience: Patience,
    ) -> None:
        self._listener = listener
        self._make = make
        self._state = state
        self._most = most
        self._patience = patience
        self._tasks: set[asyncio.Task[None]] = set()
        self._accepting: asyncio.Task[None] | None = None
        self._entering = 0
        self._refusals = 0
        self._looked_for_quiet = 0.0

    def open(self) -> None:
        """Begin."""
        self._listener.setblocking(False)
        self._accepting = self._start(self._accept())
        self._start(self._sweep())

    async def close(self) -> None:
        """Let nobody in any more. Those who are in stay, and are still shown out when they are late."""
        if self._accepting is not None:
            self._accepting.cancel()
            await asyncio.gather(self._accepting, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        in_a_row = 0
        while True:
            try:
                connection, _ = await loop.sock_accept(self._listener)
            except OSError as error:
                if error.errno in _NO_DESCRIPTORS:
                    _log.warning("no connection can be accepted (%s)", errno.errorcode[error.errno])
                    await asyncio.sleep(_AFTER_NO_DESCRIPTOR)
                else:
                    # This one is gone before it was here. An error that stays must not take all the time.
                    await asyncio.sleep(_AFTER_A_LOST_ONE)
                continue
            if self._has_room():
                self._entering += 1
                self._start(self._enter(connection))
            else:
                _log.warning("there are too many connections: new ones are refused")
                self._refuse(connection)
            in_a_row += 1
            if in_a_row % _IN_A_ROW == 0:
                # Accepting one that waits already does not let anybody else run.
                await asyncio.sleep(0)

    async def _enter(self, connection: socket.socket) -> None:
        try:
            with suppress(OSError):
                # Records are small, and none waits for the next.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().connect_accepted_socket(self._make, connection)
        except OSError:
            connection.close()
        finally:
            self._entering -= 1

    # Room.

    def _has_room(self) -> bool:
        return len(self._state.connections) + self._entering < self._most or self._make_room()

    def _make_room(self) -> bool:
        """Close the connections that have been quiet for longest, up to a tenth of all at a time."""
        now = asyncio.get_running_loop().time()
        if now - self._looked_for_quiet < _QUIET / 8:
            # Looking takes time, and nothing has changed since.
            return False
        self._looked_for_quiet = now
        quiet = sorted(
            (connection for connection in self._connections() if connection.quiet_for(now) >= _QUIET),
            key=lambda connection: connection.quiet_for(now),
            reverse=True,
        )
        for connection in quiet[: max(1, self._most // 10)]:
            connection.drop()
            self._state.connections.discard(connection)
        return bool(quiet)

    def _refuse(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        if self._refusals < _MOST_REFUSALS:
            self._start(self._refuse_kindly(connection))
            return
        with suppress(OSError):
            connection.send(_REFUSAL)
        connection.close()

    async def _refuse_kindly(self, connection: socket.socket) -> None:
        """Read what the client sends: closing with something unread would take the answer from it."""
        loop = asyncio.get_running_loop()
        self._refusals += 1
        try:
            async with asyncio.timeout(_TO_READ_A_REFUSAL):
                await loop.sock_sendall(connection, _REFUSAL)
                connection.shutdown(socket.SHUT_WR)
                while await loop.sock_recv(connection, 65_536):
                    pass
        except (OSError, TimeoutError):
            pass
        finally:
            self._refusals -= 1
            connection.close()

    # Time.

    async def _sweep(self) -> None:
        every = min(1.0, self._patience.request / 4, self._patience.stall / 4)
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(every)
            now = loop.time()
            for connection in self._connections():
                connection.end_if_overdue(now, self._patience)

    def _connections(self) -> list[PatientConnection]:
        return [
            connection for connection in self._state.connections if isinstance(connection, PatientConnection)
        ]


def _refusal() -> bytes:
    answer = problem_response(Problem.of(OVERLOADED))
    head = [(b"connection", b"close"), *answer.raw_headers]
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in head)
    return b"HTTP/1.1 503 Service Unavailable\r\n" + lines + b"\r\n" + bytes(answer.body)


_REFUSAL = _refusal()
