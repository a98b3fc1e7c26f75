"""Engines of our own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sqlalchemy import event

from finalturn import ConfigurationError, SessionError
from finalturn._sessions.sql.engine import check_file, open_engine
from finalturn._sessions.sql.target import parse_target

pytestmark = pytest.mark.anyio


async def test_sqlite_is_set_up_for_many_and_for_good(tmp_path: Path) -> None:
    engine = open_engine(parse_target(tmp_path / "a.db"), 20)
    async with engine.connect() as connection:
        settings = [
            (await connection.exec_driver_sql(f"PRAGMA {name}")).scalar()
            for name in ("journal_mode", "synchronous", "busy_timeout")
        ]
    assert settings == ["wal", 2, 20_000]
    await engine.dispose()


async def test_parameters_are_hidden(tmp_path: Path) -> None:
    engine = open_engine(parse_target(tmp_path / "a.db"), 20)
    assert engine.sync_engine.hide_parameters
    await engine.dispose()


async def test_a_driver_that_cannot_be_loaded_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = parse_target("postgresql://host/name")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match=r"finalturn\[postgres\]"):
        open_engine(target, 20)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "it is a folder"),
        ("nowhere/a.db", "see that its folder exists"),
        ("a.db/b.db", "its folder exists"),
    ],
)
def test_a_file_that_cannot_be_opened_is_an_error_without_its_path(
    tmp_path: Path, name: str, reason: str
) -> None:
    check_file(tmp_path / "a.db")
    with pytest.raises(SessionError, match=f"cannot be opened: .*{reason}") as caught:
        check_file(tmp_path / name)
    assert str(tmp_path) not in str(caught.value)


async def test_libpq_is_told_when_to_give_up_unless_the_url_says_otherwise() -> None:
    told: list[dict[str, object]] = []

    async def asked(query: str, seconds: float) -> dict[str, object]:
        engine = open_engine(parse_target(f"postgresql://host/name{query}"), seconds)

        @event.listens_for(engine.sync_engine, "do_connect")
        def connect(_dialect: object, _record: object, _args: object, given: dict[str, object]) -> None:
            told.append(dict(given))
            raise KeyError

        with pytest.raises(KeyError):
            async with engine.connect():
                pass
        await engine.dispose()
        return told[-1]

    ours = await asked("", 20)
    assert (ours["connect_timeout"], ours["tcp_user_timeout"], ours["keepalives_idle"]) == (10, 20_000, 30)
    assert (await asked("", 0.1))["connect_timeout"] == 2
    theirs = await asked("?connect_timeout=7&keepalives_idle=99", 20)
    assert (theirs["connect_timeout"], theirs["keepalives_idle"]) == ("7", "99")
