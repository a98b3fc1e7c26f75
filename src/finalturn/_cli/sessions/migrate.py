"""``finalturn sessions migrate``."""

from __future__ import annotations

from typing import TextIO

from finalturn._cli.sessions.open import with_sessions
from finalturn.sessions import SQLSessions

__all__ = ["run_migrate"]


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
