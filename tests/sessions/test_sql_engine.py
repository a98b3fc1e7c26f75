"""Engines of our own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from finalturn import ConfigurationError, SessionError
from finalturn.sessions._sql_engine import check_file, open_engine
from finalturn.sessions._sql_target import parse_target

pytestmark = pytest.mark.anyio


async def test_sqlite_is_set_up_for_many_and_for_good(tmp_path: Path) -> None:
    engine = open_engine(parse_target(tmp_path / "a.db"))
    async with engine.connect() as connection:
        settings = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout")
        ]
    assert settings == ["wal", 2, 60_000]
    await engine.dispose()


async def test_parameters_are_hidden(tmp_path: Path) -> None:
    engine = open_engine(parse_target(tmp_path / "a.db"))
    assert engine.sync_engine.hide_parameters
    await engine.dispose()


async def test_a_driver_that_cannot_be_loaded_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = parse_target("postgresql://host/name")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match=r"finalturn\[postgres\]"):
        open_engine(target)


def test_a_file_that_cannot_be_opened_is_an_error_without_its_path(tmp_path: Path) -> None:
    check_file(tmp_path / "a.db")
    with pytest.raises(SessionError, match="cannot be opened") as caught:
        check_file(tmp_path)
    assert str(tmp_path) not in str(caught.value)
