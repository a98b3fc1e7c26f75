"""A database on one event loop."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select

from finalturn import ConfigurationError
from finalturn._sessions.sql.database import Database
from finalturn._sessions.sql.table import TURNS, append_turn
from finalturn._sessions.sql.target import parse_target
from tests.sessions._rows import execute
from tests.sessions._times import NOW

pytestmark = pytest.mark.anyio

COUNT = select(func.count()).select_from(TURNS)


async def test_tasks_that_come_first_at_once_make_the_schema_once(database: str) -> None:
    one = Database(parse_target(database), 20)
    assert sorted(await asyncio.gather(*(one.prepare() for _ in range(5)))) == [False] * 4 + [True]
    another = Database(parse_target(database), 20)
    assert await another.prepare() is False
    await one.aclose()
    await another.aclose()


async def test_a_snapshot_does_not_change(database: str) -> None:
    one = Database(parse_target(database), 20)
    async with one.snapshot() as connection:
        assert (await connection.execute(COUNT)).scalar() == 0
        async with one.writing("s") as writer:
            await writer.execute(append_turn("s", 0, NOW, "[]"))
        assert (await connection.execute(COUNT)).scalar() == 0
    async with one.reading() as connection:
        assert (await connection.execute(COUNT)).scalar() == 1
    await one.aclose()


async def test_what_fails_is_undone(database: str) -> None:
    one = Database(parse_target(database), 20)

    async def fail() -> None:
        async with one.reading() as writer, one.write(writer, "s"):
            await writer.execute(append_turn("s", 0, NOW, "[]"))
            raise KeyError

    with pytest.raises(KeyError):
        await fail()
    async with one.reading() as connection:
        await connection.execute(append_turn("s", 0, NOW, "[]"))
    async with one.reading() as connection:
        assert (await connection.execute(COUNT)).scalar() == 0
    await one.aclose()


async def test_a_database_of_a_newer_version_is_refused_each_time(database: str) -> None:
    one = Database(parse_target(database), 20)
    await one.prepare()
    execute(database, "UPDATE finalturn_schema SET version_num = '9999'")
    another = Database(parse_target(database), 20)
    for _ in range(2):
        with pytest.raises(ConfigurationError, match="upgrade finalturn"):
            async with another.reading():
                pass
    await one.aclose()
    await another.aclose()
