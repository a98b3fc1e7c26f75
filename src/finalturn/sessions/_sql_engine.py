"""Engines of our own."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from finalturn.core.errors import ConfigurationError, SessionError
from finalturn.sessions._sql_target import Target

__all__ = ["check_file", "open_engine"]

# Seconds that a writer waits for the others, and a task for a free connection.
PATIENCE = 60


def open_engine(target: Target) -> AsyncEngine:
    """An engine for the running event loop. Nothing is connected yet.

    Raises:
        ConfigurationError: the driver cannot be loaded.
    """
    assert target.url is not None, "a given engine is not opened"
    postgres = target.dialect == "postgresql"
    # A text comes back as text from a database of any encoding.
    connect: dict[str, Any] = {"client_encoding": "UTF8"} if postgres else {"timeout": PATIENCE}
    try:
        # What was to be saved must not stand in errors and logs.
        engine = create_async_engine(
            target.url,
            hide_parameters=True,
            pool_timeout=PATIENCE,
            pool_pre_ping=postgres,
            connect_args=connect,
        )
    except ImportError as error:
        raise ConfigurationError(
            "the database's driver cannot be loaded: pip install 'finalturn[postgres]'"
        ) from error
    if not postgres:
        event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    return engine


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
    try:
        sqlite3.connect(file).close()
    except sqlite3.Error as error:
        raise SessionError(
            "the SQLite file cannot be opened: see that its folder exists, and that both can be written"
        ) from error
