"""A database on one event loop: its connections, its transactions, and its schema."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from finalturn.sessions._sql_engine import check_file, open_engine
from finalturn.sessions._sql_migrate import PACKAGED, begin, lock_key, revision_of, upgrade
from finalturn.sessions._sql_target import Target

__all__ = ["Database"]


class Database:
    """Connections to one database, made on the running event loop.

    Args:
        target: which database.
    """

    def __init__(self, target: Target) -> None:
        self.dialect = target.dialect
        self._ours = target.engine is None
        self._file = target.file
        self._engine: AsyncEngine = target.engine or open_engine(target)
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
            async with self._connect() as connection:
                changed = await connection.run_sync(revision_of) != PACKAGED.head
            if changed:
                async with self._connect() as connection, connection.begin():
                    changed = await connection.run_sync(upgrade)
            self._ready = True
            return changed

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[AsyncConnection]:
        """A connection whose first statement begins a transaction; what it wrote is undone at the end."""
        if not self._ready:
            await self.prepare()
        async with self._connect() as connection:
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
        async with self.reading() as connection:
            if self.dialect == "sqlite":
                # The statement is the transaction. One that began before it and ended after it would hold the
                # file's only write lock for as long as the event loop takes to come back, twice.
                await connection.execution_options(isolation_level="AUTOCOMMIT")
                yield connection
                return
            async with self.write(connection, session):
                yield connection

    @asynccontextmanager
    async def write(self, connection: AsyncConnection, session: str) -> AsyncGenerator[None]:
        """A transaction that writes to one session, on a connection that has none open."""
        async with connection.begin():
            if self.dialect == "postgresql":
                # Deleting a session does not see a turn that is being inserted meanwhile: they take turns.
                # SQLite has one writer at a time anyway.
                key = lock_key(f"session {session}")
                await connection.execute(select(func.pg_advisory_xact_lock(key)))
            yield

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[AsyncConnection]:
        async with self._engine.connect() as connection:
            if self.dialect == "postgresql":
                # Each statement sees what was committed before it, the one after a lock too.
                await connection.execution_options(isolation_level="READ COMMITTED")
            yield connection

    async def aclose(self) -> None:
        """Close the connections, unless the engine is the user's."""
        if self._ours:
            await self._engine.dispose()
