"""A process that writes to a database, for tests of several. It says on its output what it has done.

python _worker.py DATABASE race SESSION TURNS    saves so many turns, taking conflicts as they come
python _worker.py DATABASE first                 waits for a line, then is among the first to use it
python _worker.py DATABASE forever SESSION       saves turns until it is killed
"""

from __future__ import annotations

import asyncio
import os
import sys

from finalturn import Message, SessionConflictError
from finalturn.sessions import SQLSessions


async def race(store: SQLSessions, session: str, turns: int) -> None:
    conflicts = 0
    for number in range(turns):
        while True:
            version = (await store.load(session)).version
            try:
                await store.append(session, [Message.user(f"{os.getpid()} {number}")], version)
                break
            except SessionConflictError:
                conflicts += 1
    print("done", conflicts, flush=True)


async def first(store: SQLSessions) -> None:
    print("ready", flush=True)
    sys.stdin.readline()
    await store.append(f"s{os.getpid()}", [Message.user("hi")], 0)
    print("done", flush=True)


async def forever(store: SQLSessions, session: str) -> None:
    version = 0
    while True:
        # Long enough that a kill finds it at work.
        await store.append(session, [Message.user("x" * 20_000), Message.assistant(str(version))], version)
        version += 1
        print(version, flush=True)


async def main(database: str, work: str, *rest: str) -> None:
    async with SQLSessions(database) as store:
        if work == "race":
            await race(store, rest[0], int(rest[1]))
        elif work == "first":
            await first(store)
        else:
            await forever(store, rest[0])


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
