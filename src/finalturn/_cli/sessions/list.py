"""``finalturn sessions list``."""

from __future__ import annotations

from typing import TextIO

from finalturn._cli.sessions.open import with_sessions
from finalturn.sessions import SQLSessions

__all__ = ["run_list"]

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
            for one in page:
                print(one.session, one.version, f"{one.updated:%Y-%m-%dT%H:%M:%SZ}", sep="\t", file=out)
            after = page[-1].session
        return 0

    return with_sessions(database, work, err, must_exist=True)
