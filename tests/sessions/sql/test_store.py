"""Sessions in SQLite and PostgreSQL: one body for both."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import create_async_engine

from finalturn import (
    ConfigurationError,
    Message,
    SessionCatalog,
    SessionConflictError,
    SessionDamagedError,
    SessionError,
    SessionHistory,
    SessionStore,
    SessionSummary,
    ToolCall,
)
from finalturn._core.json_text import without_surrogates
from finalturn._sessions.turn_text import decode_turn, encode_turn
from finalturn.sessions import InMemorySessions, SQLSessions
from tests.core._values import EVERY_CHARACTER, EVERY_PAIR, MESSAGES, filled
from tests.sessions._rows import execute

pytestmark = pytest.mark.anyio

HI = Message.user("hi")
HELLO = Message.assistant("hello")
AWKWARD = Message.assistant(
    "a NUL \x00, half a pair \ud83d, a face 😀, \u2028, ü",
    tool_calls=[ToolCall("f", {"id": 9007199254740993, "big": 10**4000, "\x00": [1.5, None]}, "c1")],
)


@pytest.fixture
async def store(database: str) -> AsyncGenerator[SQLSessions]:
    async with SQLSessions(database) as sessions:
        yield sessions


def test_it_is_a_store_and_a_catalog(tmp_path: Path) -> None:
    store = SQLSessions(tmp_path / "a.db")
    assert isinstance(store, SessionStore) and isinstance(store, SessionCatalog)


async def test_by_default_it_is_a_file_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with SQLSessions() as store:
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        await store.append("s", [HI], 0)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["elsewhere", "finalturn.db"]


async def test_a_session_that_was_never_written_to_is_empty(store: SQLSessions) -> None:
    assert await store.load("s") == SessionHistory((), 0)


async def test_appends_add_up_and_sessions_are_apart(store: SQLSessions) -> None:
    await store.append("s", [HI], 0)
    await store.append("s", [HELLO, HI], 1)
    await store.append("S", [HELLO], 0)
    await store.append("s", [], 2)
    assert await store.load("s") == SessionHistory((HI, HELLO, HI), 3)
    assert await store.load("S") == SessionHistory((HELLO,), 1)


async def test_what_databases_cannot_hold_as_text_comes_back(store: SQLSessions) -> None:
    await store.append("s", [AWKWARD], 0)
    (found,) = (await store.load("s")).messages
    assert found.content == "a NUL \x00, half a pair \ufffd, a face 😀, \u2028, ü"
    assert found.tool_calls == AWKWARD.tool_calls


async def test_every_character_comes_back_from_the_database(store: SQLSessions, tmp_path: Path) -> None:
    # Without halves of surrogate pairs: they are no characters, and no database has them.
    texts = [
        without_surrogates(EVERY_CHARACTER[start : start + 0x8000])
        for start in range(0, len(EVERY_CHARACTER), 0x8000)
    ]
    messages = (*map(Message.user, texts), *filled(without_surrogates(EVERY_PAIR)))
    await store.append("s", messages, 0)
    await store.append("s", [Message.user("\ud83d")], 1)
    expected = (*messages, Message.user("\ufffd"))
    assert await store.load("s") == SessionHistory(expected, 2)
    async with SQLSessions(tmp_path / "other.db") as other:
        lines = [one for line in await exported(store) for one in line.splitlines()]
        assert (await other.import_jsonl(lines)).turns == 2
        assert await other.load("s") == SessionHistory(expected, 2)


def test_whatever_is_said_comes_back_from_the_database(database: str) -> None:
    with asyncio.Runner() as runner:
        store = SQLSessions(database)

        async def keep(messages: list[Message]) -> None:
            await store.append("s", messages, 0)
            found = (await store.load("s")).messages if messages else ()
            assert found == decode_turn(encode_turn(messages))
            await store.delete("s")

        @settings(max_examples=40, deadline=None)
        @given(messages=st.lists(MESSAGES, max_size=3))
        def check(messages: list[Message]) -> None:
            runner.run(keep(messages))

        try:
            check()
        finally:
            runner.run(store.aclose())


async def test_another_object_finds_what_was_saved(database: str) -> None:
    async with SQLSessions(database) as first, SQLSessions(database) as second:
        await first.append("s", [HI], 0)
        assert await second.load("s") == SessionHistory((HI,), 1)


@pytest.mark.parametrize("version", [-1, 0, 2, 7, 2**31 - 1, 2**64])
async def test_a_version_that_is_not_the_sessions_is_a_conflict(store: SQLSessions, version: int) -> None:
    await store.append("s", [HI], 0)
    with pytest.raises(SessionConflictError, match="load it again and repeat the turn"):
        await store.append("s", [HELLO], version)
    assert await store.load("s") == SessionHistory((HI,), 1)


async def test_a_writer_that_started_before_a_deletion_conflicts(store: SQLSessions) -> None:
    await store.append("s", [HI], 0)
    assert await store.delete("s") is True
    with pytest.raises(SessionConflictError):
        await store.append("s", [HELLO], 1)
    assert await store.load("s") == SessionHistory()
    assert await store.delete("s") is False


async def test_a_deletion_leaves_other_sessions(store: SQLSessions) -> None:
    for session in ("s", "s1", "S"):
        await store.append(session, [HI], 0)
    await store.delete("s")
    assert [one.session for one in await store.list_sessions("", "", 9)] == ["S", "s1"]


IDS = ["-", "A", "A.b", "A_b", "Ab", "_", "a", "a-", "a.b", "a_b", "ab", "b", "key:a", "key:b", "keyz"]


async def test_lists_are_those_of_the_store_in_memory(store: SQLSessions) -> None:
    memory = InMemorySessions()
    for session in reversed(IDS):
        await store.append(session, [HI], 0)
        memory.append(session, [HI], 0)
    prefixes = ("", "a", "A", "a_", "key:", "%", "_", "ü", "a\x00", "\ud800", "zz")
    afters = ("", "A", "a\x00b", "a_b", "aü", "key:a", "\ud800", "zz")
    for asked in product(prefixes, afters, (1, 3, 99)):
        found = [one.session for one in await store.list_sessions(*asked)]
        assert found == [one.session for one in memory.list_sessions(*asked)], asked


async def test_a_summary_tells_of_the_last_turn(store: SQLSessions) -> None:
    before = datetime.now(UTC)
    await store.append("s", [HI], 0)
    between = datetime.now(UTC)
    await store.append("s", [HELLO], 1)
    (found,) = await store.list_sessions("s", "", 1)
    assert found == SessionSummary("s", 2, found.updated)
    assert before <= between <= found.updated <= datetime.now(UTC)
    assert found.updated.tzinfo is UTC


@pytest.mark.parametrize("session", ["", "../x", "a\x00", "ü"])
async def test_an_id_that_is_not_allowed_is_refused(store: SQLSessions, session: str) -> None:
    for attempt in (store.load(session), store.append(session, [HI], 0), store.delete(session)):
        with pytest.raises(SessionError, match="not allowed"):
            await attempt


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '[{"role":"user","secret":1}]', '{"role":"user"}', '[{"role":"secret"}]']
)
async def test_a_damaged_turn_is_named_and_not_quoted(store: SQLSessions, database: str, text: str) -> None:
    await store.append("s", [HI], 0)
    await store.append("s", [HI], 1)
    execute(database, f"UPDATE finalturn_turns SET messages = '{text}' WHERE version = 2")
    with pytest.raises(
        SessionDamagedError, match="turn 2 of session 's' is damaged, or of a newer"
    ) as caught:
        await store.load("s")
    assert "secret" not in str(caught.value) and caught.value.__cause__ is caught.value.__context__ is None
    with pytest.raises(SessionDamagedError, match="turn 2 of session 's' is damaged"):
        await exported(store)
    # Others are read as before.
    await store.append("t", [HI], 0)
    assert [one.session for one in await store.list_sessions("", "", 9)] == ["s", "t"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("messages", "x'ff'"),
        ("messages", "x'5b5d'"),
        ("messages", "7"),
        ("messages", "CAST(x'22ff22' AS TEXT)"),
        ("version", "'two'"),
        ("version", "2.5"),
        ("version", "x'02'"),
        ("version", "-2"),
    ],
)
async def test_what_sqlite_keeps_in_any_column_is_damaged_too(
    tmp_path: Path, column: str, value: str
) -> None:
    url = f"sqlite:///{tmp_path}/sessions.db"
    async with SQLSessions(url) as store:
        await store.append("s", [HI], 0)
        await store.append("s", [HI], 1)
        execute(url, f"UPDATE finalturn_turns SET {column} = {value} WHERE version = 2")
        with pytest.raises(SessionDamagedError):
            await store.load("s")


@pytest.mark.parametrize("saved", ["'yesterday'", "7", "x'00'", "''"])
async def test_so_is_a_time_that_is_none(tmp_path: Path, saved: str) -> None:
    url = f"sqlite:///{tmp_path}/sessions.db"
    async with SQLSessions(url) as store:
        await store.append("s", [HI], 0)
        execute(url, f"UPDATE finalturn_turns SET saved = {saved}")
        with pytest.raises(SessionDamagedError, match="turn 1 of session 's' is damaged: it has no time"):
            await store.list_sessions("", "", 9)
        with pytest.raises(SessionDamagedError, match="it has no time"):
            await exported(store)
        # What was said is there.
        assert await store.load("s") == SessionHistory((HI,), 1)


async def test_a_turn_that_is_missing_is_named(store: SQLSessions, database: str) -> None:
    for version in range(3):
        await store.append("s", [HI], version)
    execute(database, "DELETE FROM finalturn_turns WHERE version = 2")
    with pytest.raises(SessionDamagedError, match="turn 2 of session 's' is missing"):
        await store.load("s")


async def test_a_failure_of_the_database_is_a_session_error(store: SQLSessions, database: str) -> None:
    await store.migrate()
    execute(database, "DROP TABLE finalturn_turns")
    with pytest.raises(SessionError, match=r"could not be read \(\w+\)$"):
        await store.load("s")
    with pytest.raises(SessionError, match=r"could not be saved \(\w+\)$") as caught:
        await store.append("s", [Message.user("secret")], 0)
    assert not isinstance(caught.value, SessionConflictError)
    assert "secret" not in repr(caught.value.__cause__)
    with pytest.raises(SessionError, match="could not be listed"):
        await store.list_sessions("", "", 1)
    with pytest.raises(SessionError, match="could not be deleted"):
        await store.delete("s")
    with pytest.raises(SessionError, match="could not be exported"):
        await anext(store.export_jsonl())
    with pytest.raises(SessionError, match="could not be imported"):
        await store.import_jsonl([line("s", 1)])


async def test_a_folder_that_is_not_there_is_a_session_error(tmp_path: Path) -> None:
    async with SQLSessions(tmp_path / "nowhere" / "a.db") as store:
        with pytest.raises(SessionError, match="see that its folder exists") as caught:
            await store.load("s")
    assert "nowhere" not in str(caught.value)


def line(session: str, version: int, content: str = "hi") -> str:
    messages = [{"role": "user", "content": content}]
    saved = "2026-01-31T13:00:00.000001+01:00"
    return json.dumps({"session": session, "version": version, "saved": saved, "messages": messages})


async def exported(store: SQLSessions, prefix: str = "") -> list[str]:
    return [one async for one in store.export_jsonl(prefix)]


async def test_an_export_comes_back_to_the_last_bit(database: str, tmp_path: Path) -> None:
    async with SQLSessions(database) as store, SQLSessions(tmp_path / "other.db") as other:
        for session in ("b", "a", "B"):
            for version in range(3):
                await store.append(session, [HI, AWKWARD], version)
        lines = await exported(store)
        assert [json.loads(one)["session"] for one in lines] == ["B"] * 3 + ["a"] * 3 + ["b"] * 3
        assert all(one.isascii() for one in lines)
        report = await other.import_jsonl(store.export_jsonl())
        assert (report.sessions, report.turns, report.problems) == (3, 9, ())
        assert await exported(other) == lines
        assert await other.list_sessions("", "", 9) == await store.list_sessions("", "", 9)
        for session in ("a", "b", "B"):
            await store.delete(session)
        # Lines of a file are bytes, and end.
        await store.import_jsonl(f"{one}\r\n".encode() for one in reversed(lines))
        assert await exported(store) == lines
        assert await exported(store, "b") == lines[-3:]


async def test_an_export_is_what_was_there_when_it_began(store: SQLSessions) -> None:
    for version in range(120):
        await store.append("s", [HI], version)
    async with aclosing(store.export_jsonl()) as lines:
        await anext(lines)
        await store.append("s", [HI], 120)
        await store.append("t", [HI], 0)
        assert len([one async for one in lines]) == 119


async def test_an_export_may_be_left(store: SQLSessions) -> None:
    for version in range(200):
        await store.append("s", [Message.user("x" * 1000)], version)
    for _ in range(30):
        async with aclosing(store.export_jsonl()) as lines:
            assert json.loads(await anext(lines))["version"] == 1
    await store.append("s", [HI], 200)


async def test_it_closes_and_opens_again(store: SQLSessions) -> None:
    await store.append("s", [HI], 0)
    await store.aclose()
    await store.aclose()
    assert await store.load("s") == SessionHistory((HI,), 1)


def test_each_event_loop_has_its_own_connections(database: str) -> None:
    store = SQLSessions(database)
    for version in range(3):
        asyncio.run(store.append("s", [HI], version))
    assert asyncio.run(store.load("s")).version == 3


def test_what_is_forgotten_is_closed(database: str) -> None:
    async def use() -> None:
        store = SQLSessions(database)
        await store.append("s", [HI], 0)
        del store
        gc.collect()

    # A connection that nobody closed is a warning, and so an error.
    asyncio.run(use())
    gc.collect()


async def test_a_given_engine_is_used_and_not_closed(database: str) -> None:
    url = database.replace("sqlite:", "sqlite+aiosqlite:").replace("postgresql:", "postgresql+psycopg:")
    engine = create_async_engine(url)
    async with SQLSessions(engine) as store:
        await store.append("s", [HI], 0)
        with pytest.raises(SessionConflictError):
            await store.append("s", [HI], 0)
        assert (await store.import_jsonl(await exported(store))).sessions == 0
    async with engine.connect() as connection:
        found = await connection.exec_driver_sql("SELECT count(*) FROM finalturn_turns")
        assert found.scalar() == 1
    await engine.dispose()


@pytest.mark.parametrize("options", ["ENCODING 'SQL_ASCII'", "ENCODING 'LATIN1'"])
@pytest.mark.postgres
async def test_a_database_of_any_encoding_will_do(request: pytest.FixtureRequest, options: str) -> None:
    server = request.getfixturevalue("postgres")
    url = server.new_database(f"{options} LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0")
    async with SQLSessions(url) as store:
        await store.append("s", [AWKWARD], 0)
        assert (await store.load("s")).messages[0].tool_calls == AWKWARD.tool_calls
        assert len(await exported(store)) == 1


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_on_trio_it_says_what_to_do(tmp_path: Path) -> None:
    store = SQLSessions(tmp_path / "a.db")
    with pytest.raises(ConfigurationError, match=r"asyncio only: .* agent\.run\(\)"):
        await store.load("s")
    with pytest.raises(ConfigurationError, match="asyncio only"):
        await store.append("s", [HI], 0)
    assert list(tmp_path.iterdir()) == []


async def test_a_session_of_many_turns_lets_other_tasks_run(store: SQLSessions) -> None:
    def lines() -> Iterator[str]:
        yield from (line("s", version) for version in range(1, 501))

    assert (await store.import_jsonl(lines())).turns == 500
    loaded = await store.load("s")
    assert (len(loaded.messages), loaded.version) == (500, 500)
