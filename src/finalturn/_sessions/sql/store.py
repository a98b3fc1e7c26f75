"""`SQLSessions`: a store of sessions in SQLite or PostgreSQL."""

from __future__ import annotations

import math
import os
from collections.abc import AsyncGenerator, AsyncIterable, Iterable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING

from finalturn._core.errors import ConfigurationError, SessionDamagedError
from finalturn._core.messages import Message
from finalturn._core.protocols import SessionHistory, SessionSummary
from finalturn._sessions.ids import check_session_id
from finalturn._sessions.jsonl import ImportReport, StoredTurn, write_line
from finalturn._sessions.sql.target import DatabaseTarget, parse_target
from finalturn._sessions.turn_text import decode_turn, encode_turn
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    from typing import Self

    from sqlalchemy.ext.asyncio import AsyncEngine

    from finalturn._sessions.per_loop import PerLoop
    from finalturn._sessions.sql.database import Database

__all__ = ["SQLSessions", "target_of"]

# Rows of an export that are read ahead.
_AHEAD = 50

# Turns of a long session that are read before other tasks have their turn.
_AT_ONCE = 100

# Seconds. So much longer waits whoever uses the store: what it says of its own limit tells more.
_MARGIN = 5.0


@beta(since=NEXT)
class SQLSessions:
    """A `SessionStore` and `SessionCatalog` in a database: SQLite, or PostgreSQL.

    ```python
    sessions = SQLSessions()  # the file finalturn.db in the working directory
    sessions = SQLSessions("postgresql://user:password@host/name")
    ```

    A turn is one row, and is there whole or not at all, whatever is killed. Of two turns that started from
    the same version, the one that ends first is kept, and the other gets a `SessionConflictError`. Any
    number of threads and processes may use one database. Its schema is made, or brought up to date, when it
    is first used. It works on asyncio only; ``agent.run()`` may use it too.

    Connections are opened when they are needed, for each event loop, and closed with the loop or by
    `aclose`. A lone half of a surrogate pair, which no database can hold, is stored as U+FFFD.

    Args:
        database: a SQLite file, or the URL of a database: ``sqlite:///file`` or
            ``postgresql://user:password@host/name``. It needs the extra ``sql``, and PostgreSQL the extra
            ``postgres``. Or a SQLAlchemy ``AsyncEngine`` for one of the two, which belongs to its event loop
            and is never closed here.
        timeout: seconds that the database may take for one call, or for one step of an export or import:
            connecting, waiting for other writers, and the statement itself. After that the call raises a
            `SessionTimeoutError`.

    Attributes:
        session_timeout: seconds that an agent waits for one call: somewhat more than ``timeout``.

    Raises:
        ConfigurationError: a package is missing, the database is of no kind that is supported, or the timeout
            is no number above 0.
    """

    @known_keywords("SQLSessions")
    def __init__(
        self, database: str | os.PathLike[str] | AsyncEngine = "finalturn.db", *, timeout: float = 20.0
    ) -> None:
        from finalturn._sessions.per_loop import PerLoop

        seconds = _checked(timeout)
        target = parse_target(database)

        def make() -> Database:
            from finalturn._sessions.sql.database import Database

            return Database(target, seconds)

        async def close(database: Database) -> None:
            await database.aclose()

        self.session_timeout: float = seconds + _MARGIN
        self._seconds = seconds
        self._target = target
        self._databases: PerLoop[Database] = PerLoop(make, close)

    async def load(self, session: str, /) -> SessionHistory:
        """Read a session; one that was never written to is empty.

        Args:
            session: its id: 1 to 128 ASCII letters, digits and ``._:@-``, none of ``.:@`` first.

        Raises:
            SessionDamagedError: a turn of it is damaged, or missing.
            SessionTimeoutError: the database did not answer in time.
            SessionError: it cannot be read, or the id is not allowed.
            ConfigurationError: the event loop is not asyncio's, or a newer version of finalturn has changed
                the database.
        """
        check_session_id(session)
        database = await self._database()
        from asyncio import sleep

        from finalturn._sessions.sql.errors import reporting
        from finalturn._sessions.sql.table import read_turns

        async with (
            reporting("the session could not be read", self._seconds),
            database.reading() as connection,
        ):
            rows = (await connection.execute(read_turns(session))).all()
        messages: list[Message] = []
        for expected, (version, text) in enumerate(rows, 1):
            if version != expected:
                raise SessionDamagedError(f"turn {expected} of session {session!r} is missing")
            messages.extend(_decode(session, version, text))
            if not expected % _AT_ONCE:
                await sleep(0)
        return SessionHistory(tuple(messages), len(rows))

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        """Add a turn's messages, all or none.

        Args:
            session: its id, as for `load`.
            messages: the turn's new messages, in order.
            version: the version that the turn was started from.

        Raises:
            SessionConflictError: someone else has appended since ``version``, or has deleted the session.
            SessionTimeoutError: the database did not answer in time. The turn may be saved, or be saved yet.
            SessionError: the database cannot be written, or the id is not allowed.
            ConfigurationError: as for `load`.
        """
        check_session_id(session)
        database = await self._database()
        from sqlalchemy.exc import IntegrityError

        from finalturn._sessions.sql.errors import conflict, reporting
        from finalturn._sessions.sql.table import LARGEST_VERSION, append_turn

        if not 0 <= version < LARGEST_VERSION:
            raise conflict()
        turn = append_turn(session, version, datetime.now(UTC), encode_turn(messages))
        async with reporting("the turn could not be saved", self._seconds):
            try:
                async with database.writing(session) as connection:
                    saved = (await connection.execute(turn)).rowcount == 1
            except IntegrityError:
                saved = False
        if not saved:
            raise conflict()

    async def list_sessions(self, prefix: str, after: str, limit: int, /) -> list[SessionSummary]:
        """Some sessions, ordered by their ids as ASCII text.

        Args:
            prefix: the ids start with it; ``""`` for all.
            after: the ids are greater than it; ``""`` for the first page, else the last id of the page
                before.
            limit: how many at most, from 1.

        Raises:
            SessionError: the database cannot be read.
            ConfigurationError: as for `load`.
        """
        database = await self._database()
        from finalturn._sessions.sql.errors import reporting
        from finalturn._sessions.sql.table import summaries

        async with (
            reporting("the sessions could not be listed", self._seconds),
            database.reading() as connection,
        ):
            rows = (await connection.execute(summaries(prefix, after, max(limit, 0)))).all()
        return [
            SessionSummary(session, version, _time(session, version, saved))
            for session, version, saved in rows
        ]

    async def delete(self, session: str, /) -> bool:
        """Forget a session.

        Args:
            session: its id, as for `load`.

        Returns:
            Whether there was one.

        Raises:
            SessionError: the database cannot be written, or the id is not allowed.
            ConfigurationError: as for `load`.
        """
        check_session_id(session)
        database = await self._database()
        from finalturn._sessions.sql.errors import reporting
        from finalturn._sessions.sql.table import delete_turns

        async with (
            reporting("the session could not be deleted", self._seconds),
            database.writing(session) as connection,
        ):
            return (await connection.execute(delete_turns(session))).rowcount > 0

    async def export_jsonl(self, prefix: str = "") -> AsyncGenerator[str]:
        """Every turn as a line of JSON: ``session``, ``version``, ``saved`` and ``messages``.

        It is what the database held when it began. Lines are read as they are asked for. Close the generator
        (``contextlib.aclosing``) when it is not read to its end.

        Args:
            prefix: the ids of the sessions start with it; ``""`` for all.

        Yields:
            A line in ASCII, without its end, in the order of sessions and turns.

        Raises:
            SessionError: the database cannot be read, or a turn is damaged.
            ConfigurationError: as for `load`.
        """
        database = await self._database()
        from finalturn._sessions.sql.errors import reporting
        from finalturn._sessions.sql.table import read_on

        problem = "the sessions could not be exported"
        async with AsyncExitStack() as stack:
            async with reporting(problem, self._seconds):
                connection = await stack.enter_async_context(database.snapshot())
            session, version = "", 0
            while True:
                async with reporting(problem, self._seconds):
                    await database.watch_connection(connection)
                    page = read_on(prefix, session, version, _AHEAD)
                    rows = (await connection.execute(page)).all()
                if not rows:
                    return
                for session, version, saved, text in rows:
                    _decode(session, version, text)
                    yield write_line(StoredTurn(session, version, _time(session, version, saved), text))

    async def import_jsonl(self, lines: Iterable[str | bytes] | AsyncIterable[str | bytes]) -> ImportReport:
        """Take in what `export_jsonl` gave, in any order. Each session goes in whole or not at all.

        No session is overwritten. Everything is read before anything is written, into a temporary table.

        Args:
            lines: such as a file that was opened for reading; blank ones are passed over.

        Returns:
            How much went in, and what did not: lines that are no turns, sessions with a turn that is missing,
            sessions that exist already.

        Raises:
            SessionError: the database cannot be written.
            ConfigurationError: as for `load`.
        """
        database = await self._database()
        from finalturn._sessions.sql.importer import import_lines

        return await import_lines(database, lines)

    async def migrate(self) -> bool:
        """Make the schema, or bring it up to date, and see that turns can be saved.

        Any other method makes the schema too when it comes first.

        Returns:
            Whether there was anything to do.

        Raises:
            SessionTimeoutError: the database did not answer in time.
            SessionError: the database cannot be written.
            ConfigurationError: as for `load`.
        """
        database = await self._database()
        from finalturn._sessions.sql.errors import reporting

        async with reporting("the database's schema could not be brought up to date", self._seconds):
            changed = await database.prepare()
        async with reporting("turns cannot be saved", self._seconds):
            await database.check()
        return changed

    async def aclose(self) -> None:
        """Close the connections; they are opened again when they are needed again."""
        await self._databases.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _database(self) -> Database:
        import asyncio

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise ConfigurationError(
                "SQLSessions works on asyncio only: run the agent there, call agent.run(), or give it a"
                " SessionStore of your own, whose methods may be synchronous"
            ) from None
        return await self._databases.get()


def _decode(session: str, version: int, text: object) -> tuple[Message, ...]:
    try:
        if isinstance(text, str):
            return decode_turn(text)
    except ValueError:
        # Without its cause, which quotes the text.
        pass
    raise SessionDamagedError(
        f"turn {version} of session {session!r} is damaged, or of a newer version of finalturn: it cannot be"
        " read as messages"
    )


def _time(session: str, version: int, saved: datetime | None) -> datetime:
    if saved is None:
        raise SessionDamagedError(f"turn {version} of session {session!r} is damaged: it has no time")
    return saved


def _checked(timeout: object) -> float:
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and 0 < timeout < math.inf:
        return float(timeout)
    raise ConfigurationError(f"timeout is a number of seconds above 0, not {timeout!r}")


def target_of(sessions: SQLSessions) -> DatabaseTarget:
    """The database that a store keeps its sessions in."""
    return sessions._target  # pyright: ignore[reportPrivateUsage]
