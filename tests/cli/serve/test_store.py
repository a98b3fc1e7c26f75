"""``--sessions``: where conversations are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from finalturn import Agent, ConfigurationError, SessionError, SessionHistory
from finalturn._agent.agent import spec_of
from finalturn._cli.serve.store import storage_for
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions, SQLSessions

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Databases are for asyncio alone."""
    return "asyncio"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory of its own."""
    monkeypatch.chdir(tmp_path)


def desk(sessions: InMemorySessions | None = None) -> Agent[None]:
    return Agent(Scripted("Hi."), sessions=sessions)


def test_an_agent_keeps_its_own_store() -> None:
    own = InMemorySessions()
    kept = storage_for(desk(own), None)
    assert (kept.store, kept.own, spec_of(kept.agent).sessions) == (None, None, own)


async def test_an_agent_without_one_gets_a_file(tmp_path: Path) -> None:
    kept = storage_for(desk(), None)
    assert isinstance(kept.store, SQLSessions)
    await kept.check()
    assert (tmp_path / "finalturn.db").is_file()
    await kept.close()


async def test_a_file_can_be_named(tmp_path: Path) -> None:
    kept = storage_for(desk(InMemorySessions()), "mine.db")
    await kept.check()
    await kept.close()
    assert (tmp_path / "mine.db").is_file()


async def test_sessions_may_be_kept_in_memory_or_not_at_all() -> None:
    kept = storage_for(desk(), "memory")
    assert isinstance(kept.store, InMemorySessions)
    await kept.check()
    kept = storage_for(desk(InMemorySessions()), "none")
    assert kept.store is None and spec_of(kept.agent).sessions is None
    await kept.check()
    await kept.close()


async def test_a_database_that_does_not_work_is_told_before_anybody_is_served(tmp_path: Path) -> None:
    (tmp_path / "no.db").write_text("This is no database, as it is a text of some length.", encoding="utf-8")
    kept = storage_for(desk(), "no.db")
    with pytest.raises(SessionError, match=r"no\.db: .*: the file is no SQLite database$"):
        await kept.check()
    await kept.close()


async def test_a_store_of_your_own_that_does_not_work_is_told_before_anybody_is_served() -> None:
    class Broken(InMemorySessions):
        def load(self, session: str, /) -> SessionHistory:
            raise OSError(5, "gone")

    class Silent(InMemorySessions):
        session_timeout = 0.05

        async def load(self, session: str, /) -> SessionHistory:  # type: ignore[override]
            await asyncio.Event().wait()
            raise AssertionError

    for store, why in ((Broken(), "OSError"), (Silent(), "did not answer within 0.05 seconds")):
        with pytest.raises(SessionError, match=why):
            await storage_for(desk(store), None).check()


def test_a_database_of_another_kind_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        storage_for(desk(), "mysql://host/name")
