"""``finalturn sessions export``."""

from __future__ import annotations

from contextlib import aclosing
from typing import TextIO

from finalturn._cli.sessions.open import with_sessions
from finalturn.sessions import SQLSessions

__all__ = ["run_export"]


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
