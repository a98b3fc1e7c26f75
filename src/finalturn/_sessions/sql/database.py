"""A database on one event loop: its connections, its transactions, and its schema."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from finalturn._sessions.sql.engine import check_file, open_engine
from finalturn._sessions.sql.limit import remaining, watch_connection
from finalturn._sessions.sql.migrate import PACKAGED, begin, lock_key, revision_of, upgrade
from finalturn._sessions.sql.table import append_turn, delete_turns
from finalturn._sessions.sql.target import DatabaseTarget

__all__ = ["Database"]

# Fewer than there are connections: readers find one when every writer waits. SQLite has one writer anyway.
_WRITERS = {"sqlite": 1, "postgresql": 10}

# No session of a client's is called so: an owner's name and a client's id have no colon.
_PROBE = "finalturn:check:write"

# Of the time of a step. SQLite is to give up before the step does, so that its own answer is heard: by so
# many seconds, where the step has them.
_SHARE = 0.95
_AHEAD = 0.25


class Database:
    """Connections to one database, made on the running event loop.

    Args:
        target: which database.
        seconds: how long a step in it may take. Whoever begins a step sees to it, with `limited`.
    """

    def __init__(self, target: DatabaseTarget, seconds: float) -> None:
        self.dialect = target.dialect
        self.seconds = seconds
        self._owns_engine = target.engine is None
        self._file = target.file
        self._engine: AsyncEngine = target.engine or open_engine(target, seconds * _SHARE)
        # A writer of SQLite sets how long its connection waits for a lock: readers have others.
        needs_writer_engine = self._owns_engine and self.dialect == "sqlite"
        self._for_writers = (
            open_engine(target, seconds * _SHARE, most=1) if needs_writer_engine else self._engine
        )
        self._writers = asyncio.Semaphore(_WRITERS[self.dialect])
        self._migrating = asyncio.Lock()
        self._ready = False

    async def prepare(self) -> bool:
        """Bring the schema up to date; true when there was anything to do.

        Raises:
            ConfigurationError: a newer version of finalturn has been at it.
        """
        async with self._migrating:
            if self._ready:
                return False
            if self._file is not None:
                check_file(self._file)
            async with self._connect(self._engine) as connection:
                changed = await connection.run_sync(revision_of) != PACKAGED.head
            if changed:
                async with self._connect(self._engine) as connection, connection.begin():
                    changed = await connection.run_sync(upgrade)
            self._ready = True
            return changed

    async def check(self) -> None:
        """See that a turn can be saved, read and deleted, by doing so. Nothing of it stays.

        Raises:
            SQLAlchemyError: it cannot.
        """
        async with self._writers, self._connect(self._for_writers) as connection:
            await connection.execute(delete_turns(_PROBE))
            await connection.execute(append_turn(_PROBE, 0, datetime.now(UTC), "[]"))
            await connection.execute(delete_turns(_PROBE))
            if self.dialect == "sqlite":
                # A full disk shows only when something is written to it.
                await connection.commit()

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection]:
        """A connection whose first statement begins a transaction; what it wrote is undone at the end."""
        if not self._ready:
            await self.prepare()
        async with self._connect(self._engine) as connection:
            yield connection

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[AsyncConnection]:
        """A connection whose statements all see the same, whatever is committed meanwhile."""
        async with self.reading() as connection:
            if self.dialect == "postgresql":
                await connection.execution_options(isolation_level="REPEATABLE READ")
            else:
                await connection.run_sync(begin, "DEFERRED")
            yield connection

    @asynccontextmanager
    async def writing(self, session: str) -> AsyncGenerator[AsyncConnection]:
        """A transaction of one statement, which writes to one session and nothing else."""
        if not self._ready:
            await self.prepare()
        async with self._writers, self._connect(self._for_writers) as connection:
            if self.dialect == "sqlite":
                # The statement is the transaction. One that began before it and ended after it would hold the
                # file's only write lock for as long as the event loop takes to come back, twice.
                await connection.execution_options(isolation_level="AUTOCOMMIT")
                await self._limit_busy_wait(connection)
                yield connection
                return
            async with self._transaction(connection, session):
                yield connection

    @asynccontextmanager
    async def write(self, connection: AsyncConnection, session: str) -> AsyncGenerator[None]:
        """A transaction that writes to one session, on a connection that has none open."""
        async with self._writers, self._transaction(connection, session):
            yield

    @asynccontextmanager
    async def _transaction(self, connection: AsyncConnection, session: str) -> AsyncGenerator[None]:
        async with connection.begin():
            if self.dialect == "postgresql":
                if self._owns_engine:
                    await self._set_server_timeouts(connection)
                # Deleting a session does not see a turn that is being inserted meanwhile: they take turns.
                # SQLite has one writer at a time anyway.
                key = lock_key(f"session {session}")
                await connection.execute(select(func.pg_advisory_xact_lock(key)))
            yield

    async def _set_server_timeouts(self, connection: AsyncConnection) -> None:
        """Let the server end this transaction, and its locks, when it does not hear from us any more."""
        milliseconds = str(math.ceil(self.seconds * 1000))
        names = ("statement_timeout", "idle_in_transaction_session_timeout")
        await connection.execute(select(*(func.set_config(name, milliseconds, True) for name in names)))

    async def _limit_busy_wait(self, connection: AsyncConnection) -> None:
        """SQLite gives up when the step's time is over: then it is certain that nothing was written."""
        left = remaining()
        if self._owns_engine and left is not None:
            patience = min(left * _SHARE, max(left - _AHEAD, left / 2))
            await connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(patience * 1000)}")

    @asynccontextmanager
    async def _connect(self, engine: AsyncEngine) -> AsyncGenerator[AsyncConnection]:
        async with engine.connect() as connection:
            await self.watch_connection(connection)
            if self.dialect == "postgresql":
                # Each statement sees what was committed before it, the one after a lock too.
                await connection.execution_options(isolation_level="READ COMMITTED")
            yield connection

    async def watch_connection(self, connection: AsyncConnection) -> None:
        """Tell the limit of a step that it uses this connection."""
        watch_connection((await connection.get_raw_connection()).driver_connection)

    async def aclose(self) -> None:
        """Close the connections, unless the engine is the user's."""
        if self._owns_engine:
            await self._engine.dispose()
            await self._for_writers.dispose()
