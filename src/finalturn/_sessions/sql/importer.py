"""Imports sessions: first all lines are checked, then each session is inserted whole."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

from sqlalchemy import (
    Column,
    Index,
    Insert,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    func,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from finalturn._sessions.jsonl import BadLine, ImportProblem, ImportReport, read_line
from finalturn._sessions.sql.database import Database
from finalturn._sessions.sql.errors import reporting
from finalturn._sessions.sql.table import TURNS, SessionId, UTCTime

__all__ = ["Lines", "import_lines"]

Lines = Iterable[str | bytes] | AsyncIterable[str | bytes]

_BATCH_TURNS, _BATCH_TEXT = 500, 4_000_000
_PAGE = 500

# Seen by its connection alone, and gone with it: it takes what does not fit in memory, and locks nobody out.
_STAGED = Table(
    "finalturn_import",
    MetaData(),
    Column("session", SessionId),
    Column("version", Integer),
    Column("saved", UTCTime()),
    Column("messages", Text),
    Column("line", Integer),
    Index("finalturn_import_turns", "session", "version", "line"),
    prefixes=["TEMPORARY"],
)
_session: Column[str] = _STAGED.c.session
_version: Column[int] = _STAGED.c.version
_line: Column[int] = _STAGED.c.line


async def import_lines(database: Database, lines: Lines) -> ImportReport:
    """Import what `write_line` has written, in any order.

    Raises:
        SessionError: the database cannot be written, or took too long for a step.
    """
    async with AsyncExitStack() as stack:
        async with _step(database):
            connection = await stack.enter_async_context(database.reading())
            await connection.run_sync(_STAGED.drop, checkfirst=True)
            await connection.run_sync(_STAGED.create)
            await connection.commit()
        try:
            return await _Import(database, connection).run(lines)
        finally:
            async with _step(database, connection):
                await connection.rollback()
                await connection.run_sync(_STAGED.drop)
                await connection.commit()


@asynccontextmanager
async def _step(database: Database, connection: AsyncConnection | None = None) -> AsyncGenerator[None]:
    async with reporting("the sessions could not be imported", database.seconds):
        if connection is not None:
            await database.watch_connection(connection)
        yield


class _Import:
    def __init__(self, database: Database, connection: AsyncConnection) -> None:
        self._database = database
        self._connection = connection
        self._problems: list[ImportProblem] = []
        self._sessions = self._turns = 0

    def _step(self) -> AbstractAsyncContextManager[None]:
        return _step(self._database, self._connection)

    async def run(self, lines: Lines) -> ImportReport:
        await self._stage(lines)
        bad = {problem.session for problem in self._problems}
        # A line that may belong to any session makes every session incomplete.
        if None not in bad:
            after = ""
            while page := await self._page(after):
                after = page[-1][0]
                for session, turns, distinct, last, first_line in page:
                    if session in bad:
                        continue
                    if not turns == distinct == last:
                        self._problems.append(await self._first_wrong_line(session))
                    elif await self._insert(session):
                        self._sessions += 1
                        self._turns += turns
                    else:
                        reason = "the session exists already"
                        self._problems.append(ImportProblem(first_line, session, reason))
        self._problems.sort(key=lambda problem: problem.line)
        return ImportReport(self._sessions, self._turns, tuple(self._problems))

    async def _stage(self, lines: Lines) -> None:
        batch: list[dict[str, Any]] = []
        size = number = 0
        async for line in _each_line(lines):
            number += 1
            if not line.strip():
                continue
            try:
                turn = read_line(line)
            except BadLine as bad:
                self._problems.append(ImportProblem(number, bad.session, bad.reason))
                continue
            batch.append(
                {
                    "session": turn.session,
                    "version": turn.version,
                    "saved": turn.saved,
                    "messages": turn.messages,
                    "line": number,
                }
            )
            size += len(turn.messages)
            if len(batch) == _BATCH_TURNS or size > _BATCH_TEXT:
                await self._flush(batch)
                size = 0
        await self._flush(batch)

    async def _flush(self, batch: list[dict[str, Any]]) -> None:
        if batch:
            async with self._step():
                await self._connection.execute(insert(_STAGED), batch)
                await self._connection.commit()
            batch.clear()

    async def _page(self, after: str) -> list[Row[str, int, int, int, int]]:
        async with self._step():
            rows = list((await self._connection.execute(_page(after))).all())
            await self._connection.commit()
        return rows

    async def _first_wrong_line(self, session: str) -> ImportProblem:
        """The first line whose turn is not the next."""
        turns = select(_version, _line).where(_session == session).order_by(_version, _line)
        async with self._step():
            rows = list((await self._connection.execute(turns)).all())
            await self._connection.commit()
        for expected, (version, line) in enumerate(rows, 1):
            if version < expected:
                return ImportProblem(line, session, f"turn {version} of the session is there twice")
            if version > expected:
                return ImportProblem(line, session, f"turn {expected} of the session is missing")
        raise AssertionError("the turns of the session are whole")

    async def _insert(self, session: str) -> bool:
        async with self._step():
            try:
                async with self._database.write(self._connection, session):
                    done = await self._connection.execute(_insert_staged(session))
                    return done.rowcount > 0
            except IntegrityError:
                return False


def _page(after: str) -> Select[str, int, int, int, int]:
    count = func.count
    return (
        select(_session, count(_version), count(_version.distinct()), func.max(_version), func.min(_line))
        .where(_session > after)
        .group_by(_session)
        .order_by(_session)
        .limit(_PAGE)
    )


def _insert_staged(session: str) -> Insert:
    columns = [column.name for column in TURNS.c]
    exists = select(TURNS.c.version).where(TURNS.c.session == session).exists()
    rows = select(*(_STAGED.c[name] for name in columns)).where(_session == session, ~exists)
    return insert(TURNS).from_select(columns, rows).execution_options(preserve_rowcount=True)


async def _each_line(lines: Lines) -> AsyncIterator[str | bytes]:
    if isinstance(lines, AsyncIterable):
        async for line in lines:
            yield line
    else:
        for line in lines:
            yield line
