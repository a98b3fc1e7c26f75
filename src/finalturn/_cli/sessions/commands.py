"""The commands ``finalturn sessions list``, ``export``, ``import`` and ``migrate``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import ExitStack, aclosing
from typing import TextIO

from finalturn._core.errors import FinalturnError
from finalturn._sessions.sql.check import naming
from finalturn._sessions.sql.target import parse_target
from finalturn.sessions import ImportProblem, SQLSessions

__all__ = ["run_export", "run_import", "run_list", "run_migrate", "with_sessions"]


FAILED = 2


def with_sessions(
    database: str, work: Callable[[SQLSessions], Awaitable[int]], err: TextIO, *, must_exist: bool = False
) -> int:
    """Do something with the sessions. The exit code: 2 when the database cannot be used, else the work's.

    Args:
        database: its path or URL.
        work: what to do.
        err: gets a line about what went wrong.
        must_exist: a SQLite file is not made when it is not there.
    """

    async def main() -> int:
        async with SQLSessions(database) as sessions:
            return await work(sessions)

    try:
        target = parse_target(database)
        file = target.file
        if must_exist and file is not None and not file.exists():
            print(f"there is no SQLite file {file.name}; name the database with --sessions", file=err)
            return FAILED
        with naming(target):
            return asyncio.run(main())
    except FinalturnError as error:
        print(error, file=err)
        return FAILED


_PAGE = 500


def run_list(database: str, out: TextIO, err: TextIO, *, prefix: str = "") -> int:
    """A line for each session: its id, how many turns it has, and when the last was saved.

    Args:
        database: its path or URL.
        out: gets the lines; the columns are parted by tabs.
        err: gets what went wrong.
        prefix: the ids start with it.
    """

    async def work(sessions: SQLSessions) -> int:
        after = ""
        while page := await sessions.list_sessions(prefix, after, _PAGE):
            for summary in page:
                print(
                    summary.session,
                    summary.version,
                    f"{summary.updated:%Y-%m-%dT%H:%M:%SZ}",
                    sep="\t",
                    file=out,
                )
            after = page[-1].session
        return 0

    return with_sessions(database, work, err, must_exist=True)


def run_export(database: str, out: TextIO, err: TextIO, *, prefix: str = "") -> int:
    """A line of JSON for each turn.

    Args:
        database: its path or URL.
        out: gets the lines.
        err: gets what went wrong.
        prefix: the ids of the sessions start with it.
    """

    async def work(sessions: SQLSessions) -> int:
        async with aclosing(sessions.export_jsonl(prefix)) as lines:
            async for line in lines:
                print(line, file=out)
        return 0

    return with_sessions(database, work, err, must_exist=True)


def run_import(database: str, path: str, out: TextIO, err: TextIO) -> int:
    """Take a file in. The exit code: 1 when something of it was not imported, 2 when it cannot be read.

    Args:
        database: its path or URL.
        path: the file; ``-`` for standard input.
        out: gets a summary.
        err: gets a line for each problem.
    """
    with ExitStack() as stack:
        try:
            lines = sys.stdin.buffer if path == "-" else stack.enter_context(open(path, "rb"))
        except OSError as error:
            print(f"{path}: {error.strerror or type(error).__name__}", file=err)
            return FAILED

        async def work(sessions: SQLSessions) -> int:
            report = await sessions.import_jsonl(lines)
            for problem in report.problems:
                print(_words(problem), file=err)
            if any(problem.session is None for problem in report.problems):
                print("Nothing was imported: a line that names no session may belong to any.", file=err)
            print(f"imported {_count(report.sessions, 'session')}, {_count(report.turns, 'turn')}", file=out)
            return 1 if report.problems else 0

        return with_sessions(database, work, err)


def _words(problem: ImportProblem) -> str:
    if problem.session is None:
        return f"line {problem.line}: {problem.reason}"
    return f"line {problem.line}: session {problem.session} was not imported: {problem.reason}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def run_migrate(database: str, out: TextIO, err: TextIO) -> int:
    """Make the tables, or bring them up to date.

    Args:
        database: its path or URL.
        out: gets a line: what was done.
        err: gets what went wrong.
    """

    async def work(sessions: SQLSessions) -> int:
        changed = await sessions.migrate()
        print("the schema was brought up to date" if changed else "the schema is up to date", file=out)
        return 0

    return with_sessions(database, work, err)
