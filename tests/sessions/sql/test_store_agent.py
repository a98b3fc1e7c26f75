"""An agent whose sessions are in a database."""

from __future__ import annotations

from pathlib import Path

import pytest

from finalturn import Agent, ConfigurationError, SessionConflictError
from finalturn.providers import Scripted
from finalturn.sessions import SQLSessions


def agent(store: SQLSessions, *answers: str) -> Agent[None]:
    return Agent(Scripted(*answers), sessions=store)


@pytest.mark.anyio
async def test_on_asyncio_turns_add_up(database: str) -> None:
    async with SQLSessions(database) as store:
        talker = agent(store, "one", "two")
        await talker.arun("first", session="s")
        await talker.arun("second", session="s")
        loaded = await store.load("s")
    assert [message.content for message in loaded.messages] == ["first", "one", "second", "two"]
    assert loaded.version == 2


def test_synchronously_too_and_another_process_would_go_on(database: str) -> None:
    assert agent(SQLSessions(database), "one").run("first", session="s").text == "one"
    model = Scripted("two")
    Agent(model, sessions=SQLSessions(database)).run("second", session="s")
    assert [message.content for message in model.requests[0].messages] == ["first", "one", "second"]


@pytest.mark.anyio
async def test_the_second_of_two_turns_has_its_result_in_the_error(database: str) -> None:
    async with SQLSessions(database) as store:
        slow = agent(store, "slow").astream("first", session="s")
        await anext(slow)
        await agent(store, "quick").arun("meanwhile", session="s")
        with pytest.raises(SessionConflictError) as caught:
            async for _ in slow:
                pass
        assert caught.value.result is not None and caught.value.result.text == "slow"
        assert [message.content for message in (await store.load("s")).messages] == ["meanwhile", "quick"]


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_on_trio_no_turn_is_begun(tmp_path: Path) -> None:
    talker = agent(SQLSessions(tmp_path / "a.db"), "one")
    with pytest.raises(ConfigurationError, match="asyncio only"):
        await talker.arun("first", session="s")
