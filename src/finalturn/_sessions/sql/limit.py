"""Limits how long a step in a database may take, and closes a connection that does not answer.

A cancelled statement waits for the server to say that it has stopped. A server that is frozen, or that no
packet reaches any more, never says so: then the connection itself is cut.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any

__all__ = ["Limit", "limited", "remaining", "watch_connection"]

# Seconds that the server has to stop a statement, and that a step has to end once its connection is cut.
_LAST_SECONDS = 1.0


class Limit:
    """The time limit of one step.

    Args:
        seconds: how long the step may take.
        scope: cancels the step when it is rescheduled.

    Attributes:
        connection: the driver's connection that the step uses, once it has one.
        expired: whether the step took too long.
    """

    def __init__(self, seconds: float, scope: asyncio.Timeout) -> None:
        self.connection: Any = None
        self.expired = False
        self._scope = scope
        self._loop = asyncio.get_running_loop()
        self._end = self._loop.time() + seconds
        self._timer = self._loop.call_at(self._end, self._expire)
        self._ending: asyncio.Task[None] | None = None

    @property
    def remaining(self) -> float:
        """Seconds that are left."""
        return max(self._end - self._loop.time(), 0.0)

    def over(self) -> None:
        """The step has ended."""
        self._timer.cancel()
        if self._ending is not None:
            self._ending.cancel()
            _cut(self.connection)

    def _expire(self) -> None:
        self.expired = True
        # Only psycopg's connections have it.
        if hasattr(self.connection, "cancel_safe"):
            self._ending = asyncio.create_task(self._give_up())
        else:
            self._scope.reschedule(self._loop.time())

    async def _give_up(self) -> None:
        with suppress(Exception):
            # A server that lives stops the statement, and nothing of it goes on there.
            async with asyncio.timeout(_LAST_SECONDS):
                await self.connection.cancel_safe(timeout=_LAST_SECONDS)
                await asyncio.Event().wait()
        _cut(self.connection)
        await asyncio.sleep(_LAST_SECONDS)
        self._scope.reschedule(self._loop.time())


_current: ContextVar[Limit | None] = ContextVar("finalturn_sessions_limit", default=None)


@asynccontextmanager
async def limited(seconds: float) -> AsyncGenerator[Limit]:
    """A step that may take so long. When it is over, it fails: by its connection's error, or by TimeoutError.

    Args:
        seconds: how long.
    """
    async with asyncio.timeout(None) as scope:
        limit = Limit(seconds, scope)
        token = _current.set(limit)
        try:
            yield limit
        finally:
            _current.reset(token)
            limit.over()


def watch_connection(connection: object) -> None:
    """Tell the limit of the current step, if it has one, which connection of the driver it uses now."""
    if (limit := _current.get()) is not None:
        limit.connection = connection


def remaining() -> float | None:
    """Seconds that the current step has left; ``None`` without a limit."""
    limit = _current.get()
    return None if limit is None else limit.remaining


def _cut(connection: Any) -> None:
    """End a connection of psycopg here, without a word to the server: whoever waits on it gets an error."""
    with suppress(Exception):
        if not connection.closed:
            # Of a copy, as the connection closes its own.
            with socket.fromfd(connection.pgconn.socket, socket.AF_INET, socket.SOCK_STREAM) as copy:
                copy.shutdown(socket.SHUT_RDWR)
