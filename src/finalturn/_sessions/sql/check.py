"""Checks a database, and explains what is wrong with it to whoever runs the program."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from finalturn._core.errors import ConfigurationError, SessionError
from finalturn._sessions.sql.store import SQLSessions, target_of
from finalturn._sessions.sql.target import DatabaseTarget

__all__ = ["check_database", "naming"]


async def check_database(sessions: SQLSessions) -> None:
    """See that turns can be saved and read, with the schema brought up to date.

    Raises:
        SessionError: they cannot. It names the database.
        ConfigurationError: a newer version of finalturn has changed the database. It is named too.
    """
    with naming(target_of(sessions)):
        await sessions.migrate()


@contextmanager
def naming(target: DatabaseTarget) -> Generator[None]:
    """Say in an error which database it is about, and what its driver says.

    Args:
        target: the database.
    """
    try:
        yield
    except SessionError as error:
        # Only where it is used: it loads SQLAlchemy.
        from finalturn._sessions.sql.errors import for_console

        raise type(error)(f"{target.name}: {for_console(error)}") from error
    except ConfigurationError as error:
        raise ConfigurationError(f"{target.name}: {error}") from error
