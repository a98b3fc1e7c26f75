"""Several writers of one database, and writers that are killed or cancelled."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from finalturn import Message, SessionConflictError, SessionError
from finalturn.sessions import SQLSessions

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def worker(database: str, *arguments: str) -> Generator[subprocess.Popen[str]]:
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    with subprocess.Popen(
        [sys.executable, str(Path(__file__).parents[1] / "_worker.py"), database, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_of_threads_that_start_from_one_version_one_wins(database: str) -> None:
    store, barrier = SQLSessions(database), threading.Barrier(6)

    async def write(number: int) -> bool:
        version = (await store.load("s")).version
        await asyncio.to_thread(barrier.wait, 60)
        try:
            await store.append("s", [Message.user(str(number))], version)
        except SessionConflictError:
            return False
        return True

    def run(number: int) -> bool:
        return asyncio.run(write(number))

    with ThreadPoolExecutor(6) as threads:
        won = [number for number, done in enumerate(threads.map(run, range(6))) if done]
    assert len(won) == 1
    assert asyncio.run(store.load("s")).messages == (Message.user(str(won[0])),)


def test_tasks_of_one_loop_take_turns(database: str) -> None:
    async def main() -> list[int]:
        async with SQLSessions(database) as store:
            await asyncio.gather(*(store.append(f"s{n}", [Message.user("hi")], 0) for n in range(50)))
            outcomes = await asyncio.gather(
                *(store.append("s", [Message.user(str(n))], 0) for n in range(20)), return_exceptions=True
            )
            assert len(await store.list_sessions("s", "", 99)) == 51
            return [n for n, outcome in enumerate(outcomes) if not isinstance(outcome, SessionConflictError)]

    assert len(asyncio.run(main())) == 1


def test_processes_lose_nothing(database: str) -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(database, "race", "s", "15")) for _ in range(3)]
        assert [said(one).split()[0] for one in workers] == ["done"] * 3
    loaded = asyncio.run(SQLSessions(database).load("s"))
    assert loaded.version == 45
    written = [message.content.split() for message in loaded.messages]
    for pid in {pid for pid, _ in written}:
        assert [number for by, number in written if by == pid] == [str(number) for number in range(15)]


def test_processes_that_use_it_first_at_once_all_succeed(database: str) -> None:
    with ExitStack() as stack:
        workers = [stack.enter_context(worker(database, "first")) for _ in range(4)]
        assert [said(one) for one in workers] == ["ready\n"] * 4
        for one in workers:
            assert one.stdin is not None
            one.stdin.write("\n")
            one.stdin.flush()
        assert [said(one) for one in workers] == ["done\n"] * 4
    assert len(asyncio.run(SQLSessions(database).list_sessions("", "", 99))) == 4


@pytest.mark.parametrize("turns", [3, 20])
def test_a_writer_that_is_killed_leaves_whole_turns(database: str, turns: int) -> None:
    with worker(database, "forever", "s") as process:
        for version in range(1, turns + 1):
            assert said(process) == f"{version}\n"
        process.kill()
        process.wait()
    loaded = asyncio.run(SQLSessions(database).load("s"))
    # What it has told of is there. It may have saved more, and had no time to tell.
    assert loaded.version >= turns
    assert len(loaded.messages) == 2 * loaded.version
    for version, (question, answer) in enumerate(
        zip(loaded.messages[::2], loaded.messages[1::2], strict=True)
    ):
        assert (len(question.content), answer.content) == (20_000, str(version))
    asyncio.run(SQLSessions(database).append("s", [Message.user("go on")], loaded.version))


def test_an_append_that_is_cancelled_is_there_or_not(database: str) -> None:
    async def main() -> None:
        async with SQLSessions(database) as store:
            await store.migrate()
            # Cancelled ever later, until it is done before that.
            for steps in (*range(25), 40, 80, 160, 320, 640, 1280):
                version = (await store.load("s")).version
                task = asyncio.ensure_future(store.append("s", [Message.user(str(steps))] * 2, version))
                for _ in range(steps):
                    await asyncio.sleep(0)
                if task.done():
                    break
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                after = await store.load("s")
                assert after.version in (version, version + 1)
                assert len(after.messages) == 2 * after.version
            await store.append("t", [Message.user("hi")], 0)

    asyncio.run(main())


@pytest.fixture
def locked(tmp_path: Path) -> Generator[tuple[Path, sqlite3.Connection]]:
    """A file in which a session stands, locked for writers by somebody else."""
    file = tmp_path / "sessions.db"
    asyncio.run(SQLSessions(file).append("s", [Message.user("hi")], 0))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield file, other


def test_readers_do_not_wait_for_writers_that_wait(locked: tuple[Path, sqlite3.Connection]) -> None:
    file, other = locked

    async def main() -> None:
        # More writers than there are connections, and some that delete.
        async with SQLSessions(file) as store, asyncio.timeout(60):
            writers = [
                asyncio.ensure_future(store.append(f"s{n}", [Message.user("hi")], 0)) for n in range(20)
            ]
            writers += [asyncio.ensure_future(forget(store, f"t{n}")) for n in range(20)]
            # All of them have begun, and so would be in front of the readers.
            for _ in range(100):
                await asyncio.sleep(0)
            for _ in range(3):
                found = await asyncio.gather(*(store.load("s") for _ in range(20)))
                assert [one.version for one in found] == [1] * 20
                assert [one.session for one in await store.list_sessions("", "", 9)] == ["s"]
                assert len([line async for line in store.export_jsonl()]) == 1
            assert not any(writer.done() for writer in writers)
            other.execute("COMMIT")
            await asyncio.gather(*writers)
            assert len(await store.list_sessions("", "", 99)) == 21

    async def forget(store: SQLSessions, session: str) -> None:
        assert await store.delete(session) is False

    asyncio.run(main())


def test_writers_of_a_file_that_stays_locked_are_told_and_save_nothing(
    locked: tuple[Path, sqlite3.Connection],
) -> None:
    file, other = locked

    async def main() -> None:
        async with SQLSessions(file, timeout=0.5) as store, asyncio.timeout(60):
            outcomes = await asyncio.gather(
                *(store.append(f"s{n}", [Message.user("hi")], 0) for n in range(20)), return_exceptions=True
            )
            assert all(isinstance(one, SessionError) for one in outcomes)
            assert "another program has locked the file" in str(outcomes[0])
            other.execute("COMMIT")
            # Nothing of it is written once the lock is gone.
            await store.append("t", [Message.user("hi")], 0)
            assert [one.session for one in await store.list_sessions("", "", 99)] == ["s", "t"]

    asyncio.run(main())
