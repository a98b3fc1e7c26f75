"""The table and its statements."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import create_engine, insert, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from finalturn._sessions.sql.table import METADATA, TURNS, UTCTime, append_turn, summaries


def test_postgresql_orders_sessions_by_ascii() -> None:
    engine = create_engine("postgresql+psycopg://host/name")
    assert 'COLLATE "C"' in str(CreateTable(TURNS).compile(engine))
    assert "COLLATE" not in str(CreateTable(TURNS).compile(dialect=sqlite.dialect()))


@pytest.mark.parametrize("hours", [-11, 0, 5.5])
def test_a_time_comes_back_in_utc(hours: float) -> None:
    engine = create_engine("sqlite://")
    METADATA.create_all(engine)
    time = datetime(2026, 1, 31, 12, 0, 0, 1, timezone(timedelta(hours=hours)))
    with engine.begin() as connection:
        row = {"session": "s", "version": 1, "saved": time, "messages": "[]"}
        connection.execute(insert(TURNS), row)
        found = connection.execute(select(TURNS.c.saved)).scalar_one()
    assert found == time and found.tzinfo is UTC
    engine.dispose()


def test_no_time_is_none() -> None:
    assert UTCTime().process_bind_param(None, sqlite.dialect()) is None
    assert UTCTime().process_result_value(None, sqlite.dialect()) is None


def test_a_turn_is_appended_by_one_statement() -> None:
    statement = str(append_turn("s", 3, datetime.now(UTC), "[]").compile(dialect=sqlite.dialect()))
    assert statement.startswith("INSERT INTO finalturn_turns") and statement.count("INSERT") == 1


def test_a_listing_does_not_read_messages() -> None:
    assert "messages" not in str(summaries("a", "b", 3).compile(dialect=sqlite.dialect()))
