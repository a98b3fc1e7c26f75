"""Databases for the commands on sessions."""

from __future__ import annotations

import asyncio

from finalturn import Message
from finalturn.sessions import SQLSessions


def fill(database: str, *sessions: str, turns: int = 2) -> None:
    """Save so many turns to each session."""

    async def save() -> None:
        async with SQLSessions(database) as store:
            for session in sessions:
                for version in range(turns):
                    await store.append(session, [Message.user("hi"), Message.assistant("höllo\n")], version)

    asyncio.run(save())
