"""Makes the SQLAlchemy engine of a store that was given a path or URL, and not an engine."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from finalturn._core.errors import ConfigurationError, SessionError
from finalturn._sessions.sql.limit import watch_connection
from finalturn._sessions.sql.target import DatabaseTarget

__all__ = ["check_file", "open_engine"]

# Seconds. Whoever takes so long to let somebody in will not do it at all.
_CONNECT_SECONDS = 10.0
_FRESH = "finalturn_fresh"


def open_engine(target: DatabaseTarget, seconds: float, *, most: int = 15) -> AsyncEngine:
    """An engine for the running event loop. Nothing is connected yet.

    Args:
        target: which database.
        seconds: how long SQLite waits for a lock, and whoever needs a connection for a free one.
        most: so many connections at the same time.

    Raises:
        ConfigurationError: the driver cannot be loaded.
    """
    assert target.url is not None, "a given engine is not opened"
    postgres = target.dialect == "postgresql"
    pooled = min(most, 5)
    try:
        # What was to be saved must not stand in errors and logs.
        engine = create_async_engine(
            target.url,
            hide_parameters=True,
            pool_timeout=seconds,
            pool_size=pooled,
            max_overflow=most - pooled,
            connect_args=_of_postgres(target, seconds) if postgres else {"timeout": seconds},
        )
    except ImportError as error:
        raise ConfigurationError(
            "the database's driver cannot be loaded: pip install 'finalturn[postgres]'"
        ) from error
    if postgres:
        _watch(engine)
    else:
        event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    return engine


def _of_postgres(target: DatabaseTarget, seconds: float) -> dict[str, Any]:
    """What libpq is told, unless the URL says otherwise.

    https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS has the parameters.
    """
    assert target.url is not None
    defaults: dict[str, Any] = {
        # A text comes back as text from a database of any encoding.
        "client_encoding": "UTF8",
        # In whole seconds, and never less than two.
        "connect_timeout": max(math.ceil(min(seconds, _CONNECT_SECONDS)), 2),
        # Connections that wait in the pool are found dead, when a firewall or a power cut has ended them.
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        # In milliseconds.
        "tcp_user_timeout": math.ceil(seconds * 1000),
    }
    return {name: value for name, value in defaults.items() if name not in target.url.query}


def _watch(engine: AsyncEngine) -> None:
    """Tell the limit of a step which connection it uses, before anything is asked on it."""
    dialect = engine.sync_engine.dialect

    def connected(connection: Any, record: Any) -> None:
        record.info[_FRESH] = True
        watch_connection(connection.driver_connection)

    def checked_out(connection: Any, record: Any, _proxy: object) -> None:
        watch_connection(connection.driver_connection)
        if record.info.pop(_FRESH, False):
            return
        # As SQLAlchemy's own pre-ping, which comes too early for its connection to be known.
        assert dialect.dbapi is not None
        try:
            dialect.do_ping(connection)
        except dialect.dbapi.Error as error:
            if dialect.is_disconnect(error, connection, None):
                raise InvalidatePoolError from error
            raise

    # SQLAlchemy's own, which asks for the server's version, comes after it.
    event.listen(engine.sync_engine, "connect", connected, insert=True)
    event.listen(engine.sync_engine, "checkout", checked_out)


def _set_up_sqlite(connection: Any, _record: object) -> None:
    cursor = connection.cursor()
    # Readers and a writer do not wait for each other, and what is committed is on the disk.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.close()


def check_file(file: Path) -> None:
    """See that a SQLite file can be opened: a driver in a thread fails less cleanly.

    Raises:
        SessionError: it cannot.
    """
    if file.is_dir():
        raise SessionError("the SQLite file cannot be opened: it is a folder")
    if not file.parent.is_dir():
        raise SessionError("the SQLite file cannot be opened: see that its folder exists")
    try:
        sqlite3.connect(file).close()
    except sqlite3.Error as error:
        raise SessionError(
            "the SQLite file cannot be opened: see that this user may read and write it and its folder"
        ) from error
