"""A database that turns cannot be saved to is told of before anybody uses it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from finalturn import ConfigurationError, Message, SessionError, SessionHistory, SessionTimeoutError
from finalturn._sessions.sql.check import check_database
from finalturn.sessions import SQLSessions
from tests.sessions._broken import BROKEN, unprivileged
from tests.sessions._postgres import Server
from tests.sessions._relay import relay
from tests.sessions._rows import execute

pytestmark = pytest.mark.anyio


async def refusal(database: str | Path) -> str:
    """Why a database is refused."""
    async with SQLSessions(database, timeout=5) as store, asyncio.timeout(60):
        with pytest.raises((SessionError, ConfigurationError)) as caught:
            await check_database(store)
    said = str(caught.value)
    assert "\n" not in said
    return said


async def test_a_database_that_works_is_as_it_was(database: str) -> None:
    async with SQLSessions(database) as store:
        for _ in range(2):
            await check_database(store)
            assert await store.list_sessions("", "", 9) == []
        await store.append("s", [Message.user("hi")], 0)
        await check_database(store)
        assert (await store.load("s")).version == 1
        assert [one.session for one in await store.list_sessions("", "", 9)] == ["s"]


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_does_not_work_is_named_with_the_reason(name: str) -> None:
    make, reason = BROKEN[name]
    # Modules of the driver and the migrations are read before this user may not.
    asyncio.run(check())
    with unprivileged() as folder:
        (folder / "inner").mkdir()
        file = folder / "inner" / "sessions.db"
        make(file)
        try:
            said = asyncio.run(refusal(file))
        finally:
            for path in (file.parent, file):
                if path.exists():
                    path.chmod(0o755)
    assert said.startswith(f"{file}: ") and reason in said


async def check() -> None:
    """Use a database once."""
    with unprivileged() as folder:
        async with SQLSessions(folder / "a.db") as store:
            await check_database(store)
            assert await store.load("s") == SessionHistory()


_FULL = """
import asyncio, resource, signal, sys
from finalturn import SessionError
from finalturn.sessions import SQLSessions
from finalturn._sessions.sql.check import check_database

async def main():
    async with SQLSessions(sys.argv[1]) as store:
        await check_database(store)
        await store.aclose()
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
        try:
            await check_database(store)
        except SessionError as error:
            print(error)

asyncio.run(main())
"""


def test_a_file_that_cannot_grow_is_told_of(tmp_path: Path) -> None:
    """As on a full disk. The system's limit on the size of files stands for it."""
    file = tmp_path / "sessions.db"
    done = subprocess.run(
        [sys.executable, "-c", _FULL, str(file)], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{file}: ")
    assert done.stdout.endswith(": the disk failed to read or write the file; it may be full\n")


@pytest.mark.postgres
@pytest.mark.parametrize("made", [True, False], ids=["its-tables-are-there", "nothing-is-there"])
async def test_a_postgresql_that_is_read_only_is_refused(postgres: Server, made: bool) -> None:
    url = postgres.new_schema()
    if made:
        async with SQLSessions(url) as store:
            await store.migrate()
    said = await refusal(f"{url}%20-cdefault_transaction_read_only%3Don")
    assert said.startswith(f"PostgreSQL on 127.0.0.1:{postgres.port}/postgres: ")
    assert said.endswith(": the database is read-only")


@pytest.mark.postgres
@pytest.mark.parametrize("missing", ["SELECT", "INSERT", "DELETE"])
async def test_a_user_who_may_not_do_it_is_refused(postgres: Server, missing: str) -> None:
    url = postgres.new_database("")
    async with SQLSessions(url) as store:
        await store.migrate()
    user = f"user_{url.rpartition('/')[2]}"
    execute(url, f"CREATE USER {user}")
    execute(url, f"GRANT SELECT ON finalturn_schema TO {user}")
    for right in {"SELECT", "INSERT", "DELETE"} - {missing}:
        execute(url, f"GRANT {right} ON finalturn_turns TO {user}")
    said = await refusal(url.replace("postgres@", f"{user}@"))
    assert said.endswith("it needs SELECT, INSERT and DELETE in the tables of finalturn")
    execute(url, f"GRANT {missing} ON finalturn_turns TO {user}")
    async with SQLSessions(url.replace("postgres@", f"{user}@")) as store:
        await check_database(store)


@pytest.mark.postgres
async def test_a_database_that_is_not_there_is_told_without_a_password(postgres: Server) -> None:
    url = postgres.url("nowhere").replace("postgres@", "postgres:SECRET@")
    said = await refusal(url)
    assert said.startswith(f"PostgreSQL on 127.0.0.1:{postgres.port}/nowhere: ")
    assert "does not exist" in said and "SECRET" not in said


@pytest.mark.postgres
async def test_a_server_that_says_nothing_is_told_of() -> None:
    async with relay(0, silent=True) as silence:
        address = f"127.0.0.1:{silence.port}/x"
        async with SQLSessions(f"postgresql://u:SECRET@{address}", timeout=1) as store:
            async with asyncio.timeout(60):
                with pytest.raises(SessionTimeoutError) as caught:
                    await check_database(store)
    assert str(caught.value).startswith(f"PostgreSQL on {address}: ")
    assert str(caught.value).endswith("see that it runs, and that it can be reached from here")
    assert "did not answer" in str(caught.value) and "SECRET" not in str(caught.value)
