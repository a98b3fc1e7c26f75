"""Reads the path or URL of a database: SQLite or PostgreSQL."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.ext.asyncio import AsyncEngine

__all__ = ["DatabaseTarget", "Dialect", "parse_target"]

Dialect: TypeAlias = Literal["sqlite", "postgresql"]

_PORT = 5432
_SQL = ("sqlalchemy", "greenlet", "alembic")
_DRIVERS = {"sqlite": ("aiosqlite", "sql"), "postgresql": ("psycopg", "postgres")}


@dataclass(frozen=True, slots=True)
class DatabaseTarget:
    """A database.

    Attributes:
        dialect: which kind it is.
        url: where it is, driver included; ``None`` for a given engine.
        engine: the engine that was given.
        file: the SQLite file of a URL of ours.
    """

    dialect: Dialect
    url: URL | None = None
    engine: AsyncEngine | None = None
    file: Path | None = None

    @property
    def name(self) -> str:
        """What to call it on a console: the file, or the server and its database, without who connects."""
        if self.url is None:
            return "the given engine"
        if self.dialect == "sqlite":
            return str(self.file or self.url.database)
        host, port = self.url.host or "this machine", self.url.port or _PORT
        return f"PostgreSQL on {host}:{port}/{self.url.database or ''}"


def parse_target(database: str | os.PathLike[str] | AsyncEngine) -> DatabaseTarget:
    """From what the user has written.

    Raises:
        ConfigurationError: a package is missing, or the database is of no kind that is supported.
    """
    _need(_SQL, "sql")
    from sqlalchemy import URL, make_url
    from sqlalchemy.exc import ArgumentError
    from sqlalchemy.ext.asyncio import AsyncEngine

    if isinstance(database, AsyncEngine):
        return DatabaseTarget(_dialect(database.dialect.name), engine=database)
    if not isinstance(database, (str, os.PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ConfigurationError(
            "SQLSessions takes a file's path, the URL of a database or an AsyncEngine of SQLAlchemy, not"
            f" {described(database)}"
        )
    text = os.fspath(database)
    if "://" not in text:
        return _sqlite(URL.create("sqlite", database=text))
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # Without its cause, which quotes the URL, and the password in it.
        url = None
    if url is None:
        raise ConfigurationError(
            "the database's URL cannot be read; write it like sqlite:///finalturn.db or"
            " postgresql://user:password@host/name"
        )
    name, _, driver = url.drivername.partition("+")
    if _dialect("postgresql" if name == "postgres" else name) == "sqlite":
        return _sqlite(url)
    if driver not in ("", "psycopg"):
        raise ConfigurationError(
            "SQLSessions itself uses psycopg: write postgresql://..., or make an AsyncEngine with another"
            " driver and give that"
        )
    _need_driver("postgresql")
    return DatabaseTarget("postgresql", url=url.set(drivername="postgresql+psycopg"))


def _sqlite(url: URL) -> DatabaseTarget:
    _need_driver("sqlite")
    database = url.database
    if not (database and database.strip()) or database == ":memory:" or "mode=memory" in database:
        raise ConfigurationError(
            "SQLSessions needs a SQLite file; in memory, InMemorySessions() does the same"
        )
    url = url.set(drivername="sqlite+aiosqlite")
    if database.startswith("file:"):
        return DatabaseTarget("sqlite", url=url)
    # Each event loop opens it anew, and the working directory may have changed by then.
    file = Path(database).absolute()
    return DatabaseTarget("sqlite", url=url.set(database=str(file)), file=file)


def _dialect(name: str) -> Dialect:
    if name == "sqlite":
        return "sqlite"
    if name == "postgresql":
        return "postgresql"
    raise ConfigurationError(
        "SQLSessions keeps sessions in SQLite (a file's path or sqlite:///...) and PostgreSQL (postgresql://...)"
    )


def _need_driver(dialect: Dialect) -> None:
    package, extra = _DRIVERS[dialect]
    _need((package,), extra)


def _need(packages: tuple[str, ...], extra: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ConfigurationError(f"SQLSessions needs {missing[0]}: pip install 'finalturn[{extra}]'")
