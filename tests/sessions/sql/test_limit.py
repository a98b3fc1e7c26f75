"""Databases that do not answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from finalturn import Agent, Message, SessionError, SessionHistory, SessionTimeoutError
from finalturn._sessions.sql.limit import limited, remaining
from finalturn.providers import Scripted
from finalturn.sessions import SQLSessions
from tests.sessions._postgres import Server
from tests.sessions._relay import relay
from tests.sessions._rows import execute

pytestmark = pytest.mark.anyio

HI = Message.user("hi")
SECONDS = 1.0
BOUND = 60.0
"""Seconds after which a test fails that waits for ever."""


async def test_outside_a_step_there_is_no_limit() -> None:
    assert remaining() is None
    async with limited(30):
        left = remaining()
        assert left is not None and 0 < left <= 30
    assert remaining() is None


async def test_a_step_that_is_cancelled_meanwhile_is_cancelled() -> None:
    async def step() -> None:
        async with limited(30):
            await asyncio.Event().wait()

    task = asyncio.ensure_future(step())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def _export(store: SQLSessions) -> None:
    async for _ in store.export_jsonl():
        pass


CALLS: dict[str, Callable[[SQLSessions], Awaitable[Any]]] = {
    "load": lambda store: store.load("s"),
    "append": lambda store: store.append("s", [HI], 1),
    "list": lambda store: store.list_sessions("", "", 9),
    "delete": lambda store: store.delete("s"),
    "export": _export,
    "import": lambda store: store.import_jsonl([]),
    "migrate": lambda store: store.migrate(),
}


async def times_out(call: Awaitable[Any]) -> SessionTimeoutError:
    async with asyncio.timeout(BOUND):
        with pytest.raises(SessionTimeoutError) as caught:
            await call
    return caught.value


@pytest.mark.postgres
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("pooled", [True, False], ids=["pooled", "fresh"])
async def test_a_frozen_server_is_a_timeout_and_works_again(
    postgres: Server, name: str, pooled: bool
) -> None:
    async with SQLSessions(postgres.new_schema(), timeout=SECONDS) as store:
        await store.append("s", [HI], 0)
        if not pooled:
            await store.aclose()
        with postgres.frozen():
            error = await times_out(CALLS[name](store))
        assert "did not answer" in str(error)
        # Nothing is half done, whatever became of it.
        found = await store.load("s")
        assert len(found.messages) == found.version
        await store.append("t", [HI], 0)


@pytest.mark.postgres
async def test_a_server_that_is_frozen_in_a_transaction_saves_nothing(postgres: Server) -> None:
    """Another transaction holds what the append needs, so that it is certain where it waits."""
    import psycopg

    url = postgres.new_schema()
    async with SQLSessions(url, timeout=SECONDS) as store:
        await store.append("s", [HI], 0)
        async with await psycopg.AsyncConnection.connect(url) as other:
            await other.execute("LOCK TABLE finalturn_turns IN SHARE MODE")
            append = asyncio.ensure_future(store.append("s", [HI], 1))
            await until_waiting(postgres)
            with postgres.frozen():
                await times_out(append)
        assert await store.load("s") == SessionHistory((HI,), 1)


async def until_waiting(postgres: Server) -> None:
    """Until a statement waits for a lock."""
    async with asyncio.timeout(BOUND):
        while not execute(postgres.url("postgres"), WAITING):
            await asyncio.sleep(0.01)


WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


@pytest.mark.postgres
@pytest.mark.parametrize("name", ["load", "append", "list", "delete"])
async def test_what_took_too_long_does_not_go_on_at_the_server(postgres: Server, name: str) -> None:
    import psycopg

    url = postgres.new_schema()
    async with SQLSessions(url, timeout=SECONDS) as store:
        await store.append("s", [HI], 0)
        async with await psycopg.AsyncConnection.connect(url) as other:
            await other.execute("LOCK TABLE finalturn_turns IN ACCESS EXCLUSIVE MODE")
            async with asyncio.timeout(BOUND):
                # By the server's own limit, or by ours.
                with pytest.raises(SessionError, match=r"took too long|did not answer"):
                    await CALLS[name](store)
                while execute(postgres.url("postgres"), WAITING):
                    await asyncio.sleep(0.01)
        assert await store.load("s") == SessionHistory((HI,), 1)


@pytest.mark.postgres
async def test_a_server_that_takes_connections_and_says_nothing_is_a_timeout() -> None:
    async with (
        relay(0, silent=True) as silence,
        SQLSessions(f"postgresql://u@127.0.0.1:{silence.port}/x", timeout=SECONDS) as store,
    ):
        for call in CALLS.values():
            await times_out(call(store))


@pytest.mark.postgres
async def test_a_network_that_is_cut_off_without_a_word_is_a_timeout(postgres: Server) -> None:
    url = postgres.new_schema()
    async with relay(postgres.port) as network:
        through = url.replace(f":{postgres.port}/", f":{network.port}/")
        async with SQLSessions(through, timeout=SECONDS) as store:
            await store.append("s", [HI], 0)
            network.silent = True
            for _ in range(3):
                await times_out(store.load("s"))
            network.silent = False
            assert (await store.load("s")).version == 1


@pytest.mark.postgres
async def test_readers_do_not_wait_for_writers_that_wait(postgres: Server) -> None:
    import psycopg

    url = postgres.new_schema()
    async with SQLSessions(url, timeout=BOUND) as store:
        await store.append("s", [HI], 0)
        async with await psycopg.AsyncConnection.connect(url) as other:
            await other.execute("LOCK TABLE finalturn_turns IN SHARE MODE")
            writers = [asyncio.ensure_future(store.append(f"s{n}", [HI], 0)) for n in range(20)]
            await until_waiting(postgres)
            async with asyncio.timeout(BOUND / 2):
                for found in await asyncio.gather(*(store.load("s") for _ in range(20))):
                    assert found.version == 1
            assert not any(writer.done() for writer in writers)
        await asyncio.gather(*writers)
        assert len(await store.list_sessions("", "", 99)) == 21


@pytest.fixture
async def turn_on_frozen(postgres: Server) -> AsyncGenerator[SQLSessions]:
    async with SQLSessions(postgres.new_schema(), timeout=SECONDS) as store:
        await store.migrate()
        yield store


@pytest.mark.postgres
async def test_a_turn_whose_store_is_frozen_has_its_result_in_the_error(
    postgres: Server, turn_on_frozen: SQLSessions
) -> None:
    stream = Agent(Scripted("Done."), sessions=turn_on_frozen).astream("Hello", session="s")
    async with asyncio.timeout(BOUND):
        await anext(stream)
        with postgres.frozen(), pytest.raises(SessionTimeoutError) as caught:
            async for _ in stream:
                pass
    assert caught.value.result is not None and caught.value.result.text == "Done."


@pytest.mark.postgres
async def test_an_engine_of_yours_has_the_limit_too(postgres: Server) -> None:
    engine = create_async_engine(postgres.new_schema().replace("postgresql:", "postgresql+psycopg:"))
    async with SQLSessions(engine, timeout=SECONDS) as store:
        await store.append("s", [HI], 0)
        with postgres.frozen():
            await times_out(store.load("s"))
        assert (await store.load("s")).version == 1
    await engine.dispose()
