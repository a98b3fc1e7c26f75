"""Turns errors of a database or its driver into a `SessionError` that quotes nothing of them."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

from finalturn._core.errors import (
    SessionConflictError,
    SessionDamagedError,
    SessionError,
    SessionTimeoutError,
)
from finalturn._sessions.sql.limit import Limit, limited

__all__ = ["conflict", "for_console", "reporting"]

# Result codes of SQLite (https://www.sqlite.org/rescode.html), without what extends them.
_SQLITE = {
    sqlite3.SQLITE_PERM: "this user may not write the file",
    sqlite3.SQLITE_BUSY: "another program has locked the file",
    sqlite3.SQLITE_LOCKED: "another program has locked the file",
    sqlite3.SQLITE_READONLY: "the database cannot be written: see that this user may write the file and its"
    " folder",
    sqlite3.SQLITE_IOERR: "the disk failed to read or write the file; it may be full",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened: see that this user may read and write it and its"
    " folder",
    sqlite3.SQLITE_NOTADB: "the file is no SQLite database",
}
_SQLITE_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

# Error codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html).
_POSTGRES = {
    "25006": "the database is read-only",
    "28000": "the database does not let this user in",
    "28P01": "the password is wrong",
    "3D000": "there is no such database",
    "3F000": "there is no such schema",
    "42501": "this user may not do that: it needs SELECT, INSERT and DELETE in the tables of finalturn",
    "53100": "the disk of the database is full",
    "53300": "the database takes no more connections",
    "55P03": "somebody else has locked a table",
    "57014": "the database took too long",
    "57P03": "the database does not take connections now",
    "XX001": "the database is damaged",
    "XX002": "the database is damaged",
}
_POSTGRES_DAMAGED = frozenset({"XX001", "XX002"})

# Of Python's sqlite3, which gives no code with it. What follows it quotes the text.
_UNDECODABLE = "Could not decode to UTF-8"


@asynccontextmanager
async def reporting(problem: str, seconds: float) -> AsyncGenerator[Limit]:
    """A step in the database: it may take so long, and what SQLAlchemy raises becomes a `SessionError`.

    Args:
        problem: what could not be done, when it fails.
        seconds: how long.
    """
    limit: Limit | None = None
    try:
        async with limited(seconds) as limit:
            yield limit
    except (SQLAlchemyError, TimeoutError) as error:
        # The driver's error is the cause: SQLAlchemy's quotes what was to be saved.
        cause = getattr(error, "orig", None) or error
        expired = limit is not None and limit.expired
        raise _translated(problem, cause, seconds if expired else None) from cause


def _translated(problem: str, cause: BaseException, seconds: float | None) -> SessionError:
    if seconds is not None:
        return SessionTimeoutError(f"{problem}: the database did not answer within {seconds:g} seconds")
    # By its name: psycopg need not be there.
    if isinstance(cause, (TimeoutError, NoFreeConnection)) or type(cause).__name__ == "ConnectionTimeout":
        return SessionTimeoutError(f"{problem}: the database did not answer in time")
    reason, damaged = _reason(cause)
    kind = SessionDamagedError if damaged else SessionError
    return kind(f"{problem} ({type(cause).__name__})" if reason is None else f"{problem}: {reason}")


def _reason(cause: BaseException) -> tuple[str | None, bool]:
    """The reason in words, and whether what is stored is damaged."""
    if isinstance(cause, sqlite3.Error):
        code: int | None = getattr(cause, "sqlite_errorcode", None)
        if code is None:
            undecodable = str(cause).startswith(_UNDECODABLE)
            return ("what is stored is no text" if undecodable else None), undecodable
        return _SQLITE.get(code & 0xFF), code & 0xFF in _SQLITE_DAMAGED
    state: object = getattr(cause, "sqlstate", None)
    if isinstance(state, str):
        return _POSTGRES.get(state), state in _POSTGRES_DAMAGED
    return None, False


def for_console(error: SessionError) -> str:
    """All that is known, for whoever runs the program: what the driver says of it too.

    It may name hosts and users, and never quotes what is stored.
    """
    if isinstance(error, SessionTimeoutError):
        return f"{error}: see that it runs, and that it can be reached from here"
    cause = error.__cause__
    if not isinstance(cause, Exception) or _reason(cause)[0] is not None:
        return str(error)
    driver_text = str(cause).strip().partition("\n")[0]
    return (
        f"{error}: {driver_text}" if driver_text and not driver_text.startswith(_UNDECODABLE) else str(error)
    )


def conflict() -> SessionConflictError:
    """The words for the second of two writers."""
    return SessionConflictError(
        "another turn was saved to this session meanwhile; load it again and repeat the turn"
    )
