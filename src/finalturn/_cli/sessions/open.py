"""Opening the database that a command was told of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TextIO

from finalturn._core.errors import FinalturnError
from finalturn._sessions.sql.check import naming
from finalturn._sessions.sql.target import parse_target
from finalturn.sessions import SQLSessions

__all__ = ["with_sessions"]

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
