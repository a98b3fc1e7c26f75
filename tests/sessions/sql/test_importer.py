"""Importing: each session goes in whole or not at all."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator

import pytest

from finalturn import Message
from finalturn.sessions import ImportProblem, ImportReport, SQLSessions
from tests.sessions._rows import execute

pytestmark = pytest.mark.anyio


def line(session: str, version: int, content: str = "hi") -> str:
    messages = [{"role": "user", "content": content}]
    saved = "2026-01-31T13:00:00.000001+01:00"
    return json.dumps({"session": session, "version": version, "saved": saved, "messages": messages})


@pytest.fixture
async def store(database: str) -> AsyncGenerator[SQLSessions]:
    async with SQLSessions(database) as sessions:
        yield sessions


async def ids(store: SQLSessions) -> list[str]:
    return [one.session for one in await store.list_sessions("", "", 9)]


async def test_lines_come_in_any_order_and_blank_ones_do_not_count(store: SQLSessions) -> None:
    async def lines() -> AsyncIterator[str]:
        for one in ("", line("b", 2, "two"), "\n", line("a", 1), line("b", 1, "one"), "  \r\n"):
            yield one

    assert await store.import_jsonl(lines()) == ImportReport(2, 3, ())
    loaded = await store.load("b")
    assert [message.content for message in loaded.messages] == ["one", "two"]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([line("a", 1), line("b", 2)], ImportProblem(2, "b", "turn 1 of the session is missing")),
        (
            [line("b", 3), line("a", 1), line("b", 1)],
            ImportProblem(1, "b", "turn 2 of the session is missing"),
        ),
        (
            [line("b", 1), line("b", 2), line("a", 1), line("b", 2)],
            ImportProblem(4, "b", "turn 2 of the session is there twice"),
        ),
        (
            [line("b", 1), line("a", 1), line("b", 2).replace("role", "rule")],
            ImportProblem(3, "b", "messages[0].rule: is not a field of Message"),
        ),
        (
            [line("a", 1), line("b", 0), line("b", 1)],
            ImportProblem(2, "b", "version: must be a whole number from 1"),
        ),
    ],
)
async def test_a_session_with_a_fault_stays_out_alone(
    store: SQLSessions, lines: list[str], problem: ImportProblem
) -> None:
    assert await store.import_jsonl(lines) == ImportReport(1, 1, (problem,))
    assert await ids(store) == ["a"]


async def test_a_session_that_exists_is_left_as_it_is(store: SQLSessions) -> None:
    await store.append("b", [Message.user("mine")], 0)
    report = await store.import_jsonl([line("a", 1), line("b", 1), line("b", 2)])
    assert report == ImportReport(1, 1, (ImportProblem(2, "b", "the session exists already"),))
    assert [message.content for message in (await store.load("b")).messages] == ["mine"]


@pytest.mark.parametrize("bad", ["nonsense", '{"version": 1}', "[]"])
async def test_a_line_of_no_session_keeps_everything_out(store: SQLSessions, bad: str) -> None:
    report = await store.import_jsonl([line("a", 1), bad, line("b", 0), bad])
    assert (report.sessions, report.turns) == (0, 0)
    assert [(problem.line, problem.session) for problem in report.problems] == [
        (2, None),
        (3, "b"),
        (4, None),
    ]
    assert await ids(store) == []


async def test_a_source_that_fails_leaves_nothing(store: SQLSessions) -> None:
    def lines() -> Iterator[str]:
        yield line("a", 1)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        await store.import_jsonl(lines())
    assert await ids(store) == []
    assert await store.import_jsonl([line("a", 1)]) == ImportReport(1, 1, ())


async def test_many_sessions_go_in_page_by_page(store: SQLSessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finalturn._sessions.sql.importer._PAGE", 3)
    monkeypatch.setattr("finalturn._sessions.sql.importer._BATCH_TURNS", 4)
    report = await store.import_jsonl(line(f"s{number % 9}", 1 + number // 9) for number in range(27))
    assert report == ImportReport(9, 27, ())
    assert await store.import_jsonl([]) == ImportReport(0, 0, ())


async def test_writers_go_on_meanwhile(store: SQLSessions) -> None:
    async def lines() -> AsyncIterator[str]:
        for version in range(1, 1200):
            yield line("a", version)
            if version % 400 == 0:
                await store.append("b", [Message.user("hi")], version // 400 - 1)

    assert (await store.import_jsonl(lines())).turns == 1199
    assert (await store.load("b")).version == 2


async def test_a_session_that_was_written_meanwhile_is_not_overwritten(
    store: SQLSessions, database: str
) -> None:
    async def lines() -> AsyncIterator[str]:
        yield line("a", 1)
        await store.append("a", [Message.user("quick")], 0)

    report = await store.import_jsonl(lines())
    assert [problem.reason for problem in report.problems] == ["the session exists already"]
    assert execute(database, "SELECT count(*) FROM finalturn_turns") == [(1,)]
