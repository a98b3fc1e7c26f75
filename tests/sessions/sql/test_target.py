"""Which database is meant."""

from __future__ import annotations

import subprocess
import sys
from importlib import util
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from finalturn import ConfigurationError
from finalturn._sessions.sql.target import parse_target
from finalturn.sessions import SQLSessions


@pytest.mark.parametrize(
    "database", ["a b%.db", "sqlite:///a b%.db", "sqlite+aiosqlite:///a b%.db", Path("a b%.db")]
)
def test_a_file_is_the_one_of_this_working_directory(
    database: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = parse_target(database)
    assert (target.dialect, target.file) == ("sqlite", tmp_path / "a b%.db")
    assert target.url is not None
    assert (target.url.drivername, target.url.database) == ("sqlite+aiosqlite", str(tmp_path / "a b%.db"))


def test_a_uri_of_sqlite_is_left_as_it_is() -> None:
    target = parse_target("sqlite:///file:a.db?mode=ro&uri=true")
    assert target.url is not None
    assert (target.url.database, target.file) == ("file:a.db", None)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_postgresql_is_asked_with_psycopg(scheme: str) -> None:
    target = parse_target(f"{scheme}://user:pass@host:1/name?sslmode=require")
    assert target.dialect == "postgresql" and target.url is not None
    found = target.url.render_as_string(hide_password=False)
    assert found == "postgresql+psycopg://user:pass@host:1/name?sslmode=require"


@pytest.mark.anyio
async def test_an_engine_is_taken_as_it_is() -> None:
    engine = create_async_engine("sqlite+aiosqlite:///x.db")
    assert parse_target(engine).engine is engine


@pytest.mark.parametrize(
    ("database", "words"),
    [
        ("mysql://user:secret@host/name", "SQLite .* and PostgreSQL"),
        ("postgresql+asyncpg://user:secret@host/name", "give that"),
        ("postgresql://user:secret@host:port/name", "cannot be read"),
        ("://secret", "cannot be read"),
        (":memory:", "InMemorySessions"),
        ("", "InMemorySessions"),
        (" ", "InMemorySessions"),
        ("sqlite:///\t", "InMemorySessions"),
        ("sqlite://", "InMemorySessions"),
        ("sqlite:///:memory:", "InMemorySessions"),
    ],
)
def test_anything_else_is_refused_and_not_quoted(database: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words) as caught:
        SQLSessions(database)
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("database", [None, 7, ["secret.db"], SQLSessions])
def test_what_is_no_database_is_told_from_one(database: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^SQLSessions takes a file's path, .*, not \w+") as caught:
        SQLSessions(database)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("package", "database", "extra"),
    [
        ("sqlalchemy", "a.db", "sql"),
        ("greenlet", "a.db", "sql"),
        ("alembic", "a.db", "sql"),
        ("aiosqlite", "a.db", "sql"),
        ("psycopg", "postgresql://host/name", "postgres"),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, database: str, extra: str
) -> None:
    found = util.find_spec
    monkeypatch.setattr(
        "finalturn._sessions.sql.target.find_spec",
        lambda name: None if name == package else found(name),  # pyright: ignore
    )
    with pytest.raises(ConfigurationError, match=rf"needs {package}: pip install 'finalturn\[{extra}\]'"):
        SQLSessions(database)


def test_nothing_of_it_is_loaded_before_it_is_made() -> None:
    code = """
import sys
from finalturn.sessions import SQLSessions
assert not {"sqlalchemy", "alembic", "aiosqlite", "psycopg", "asyncio"} & set(sys.modules)
SQLSessions("a.db")
assert not {"alembic", "psycopg"} & set(sys.modules)
"""
    env = {"PYTHONPATH": str(Path(__file__).resolve().parents[2] / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env, timeout=120
    )
    assert done.returncode == 0, done.stderr
