from __future__ import annotations

import pytest

from finalturn import Message, SessionConflictError
from finalturn._serve.problems.failure import SessionFullError
from finalturn._serve.stores import BoundedStore
from finalturn.sessions import InMemorySessions

pytestmark = pytest.mark.anyio


async def test_a_full_session_begins_no_turn() -> None:
    store = InMemorySessions()
    bounded = BoundedStore(store, 2)
    assert (await bounded.load("s")).version == 0
    await bounded.append("s", [Message.user("Hello")], 0)
    assert len((await bounded.load("s")).messages) == 1
    await bounded.append("s", [Message.assistant("Hi")], 1)
    with pytest.raises(SessionFullError):
        await bounded.load("s")
    assert store.load("s").version == 2


async def test_a_conflict_is_the_stores() -> None:
    with pytest.raises(SessionConflictError):
        await BoundedStore(InMemorySessions(), 2).append("s", [], 1)


async def test_a_store_says_how_long_it_may_take() -> None:
    class Quick(InMemorySessions):
        session_timeout = 2

    assert BoundedStore(Quick(), 2).session_timeout == 2
    assert BoundedStore(InMemorySessions(), 2).session_timeout == 30
