"""Failures in finalturn's words."""

from __future__ import annotations

import asyncio
import sqlite3

import pytest
from sqlalchemy.exc import OperationalError, TimeoutError

from finalturn import SessionConflictError, SessionDamagedError, SessionError, SessionTimeoutError
from finalturn._sessions.sql.errors import conflict, for_console, reporting

pytestmark = pytest.mark.anyio


class OfSQLite(sqlite3.OperationalError):
    """As the driver raises it.

    Args:
        code: the result code, extended or not.
    """

    def __init__(self, code: int, said: str = "the driver's words") -> None:
        super().__init__(said)
        self.sqlite_errorcode = code


class OfPostgres(Exception):
    """As psycopg raises it."""

    def __init__(self, state: str | None, said: str = "the driver's words") -> None:
        super().__init__(said)
        self.sqlstate = state


async def told(cause: BaseException) -> SessionError:
    """What comes of a driver's error."""
    with pytest.raises(SessionError) as caught:
        async with reporting("the turn could not be saved", 20):
            raise OperationalError("INSERT", {"messages": "secret"}, cause)
    assert caught.value.__cause__ is cause and caught.value.__suppress_context__
    assert "secret" not in str(caught.value)
    return caught.value


async def test_the_cause_is_the_drivers_error_and_not_what_was_to_be_saved() -> None:
    error = await told(sqlite3.OperationalError("odd"))
    assert str(error) == "the turn could not be saved (OperationalError)"
    assert for_console(error) == "the turn could not be saved (OperationalError): odd"


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (OfSQLite(sqlite3.SQLITE_FULL), "the disk is full"),
        (OfSQLite(sqlite3.SQLITE_READONLY_DIRECTORY), "the database cannot be written: see that"),
        (OfSQLite(sqlite3.SQLITE_BUSY), "another program has locked the file"),
        (OfPostgres("25006"), "the database is read-only"),
        (OfPostgres("42501"), "it needs SELECT, INSERT and DELETE"),
        (OfPostgres("53100"), "the disk of the database is full"),
    ],
)
async def test_a_reason_that_is_known_is_told_in_words(cause: Exception, reason: str) -> None:
    error = await told(cause)
    assert type(error) is SessionError and reason in str(error)
    assert for_console(error) == str(error)


@pytest.mark.parametrize("cause", [OfPostgres("42P01"), OfPostgres(None), OfSQLite(sqlite3.SQLITE_ERROR)])
async def test_of_any_other_the_console_has_the_drivers_words(cause: Exception) -> None:
    error = await told(cause)
    assert str(error).endswith(f"({type(cause).__name__})")
    assert for_console(error) == f"{error}: the driver's words"


@pytest.mark.parametrize(
    "cause",
    [
        OfSQLite(sqlite3.SQLITE_CORRUPT),
        OfSQLite(sqlite3.SQLITE_NOTADB),
        OfPostgres("XX001"),
        sqlite3.OperationalError("Could not decode to UTF-8 column 'messages' with text 'secret'"),
    ],
)
async def test_what_is_damaged_is_told_apart(cause: Exception) -> None:
    error = await told(cause)
    assert isinstance(error, SessionDamagedError)
    assert "secret" not in for_console(error)


async def test_waiting_in_vain_for_a_connection_is_a_timeout() -> None:
    error = TimeoutError("no connection is free")
    with pytest.raises(SessionTimeoutError, match="it failed: the database did not answer") as caught:
        async with reporting("it failed", 20):
            raise error
    assert caught.value.__cause__ is error


async def test_a_step_that_takes_too_long_is_a_timeout() -> None:
    with pytest.raises(SessionTimeoutError, match=r"it failed: .* within 0\.01 seconds") as caught:
        async with reporting("it failed", 0.01):
            await asyncio.Event().wait()
    assert caught.value.result is None


@pytest.mark.parametrize("error", [SessionError("damaged"), ValueError("anything"), asyncio.CancelledError()])
async def test_any_other_passes(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        async with reporting("it failed", 20):
            raise error
    assert caught.value is error


def test_a_conflict_says_what_to_do() -> None:
    assert isinstance(conflict(), SessionConflictError)
    assert "load it again" in str(conflict())
