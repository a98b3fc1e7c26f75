"""Sessions in memory."""

from __future__ import annotations

import pytest

from finalturn import Message, SessionError, SessionStore
from finalturn.core.protocols import SessionHistory
from finalturn.sessions import InMemorySessions

HI = Message.user("hi")
HELLO = Message.assistant("hello")


def test_it_is_a_store() -> None:
    assert isinstance(InMemorySessions(), SessionStore)


def test_a_session_that_was_never_written_to_is_empty() -> None:
    assert InMemorySessions().load("s") == SessionHistory((), 0)


def test_appends_add_up_and_sessions_are_apart() -> None:
    store = InMemorySessions()
    store.append("s", [HI], 0)
    store.append("s", [HELLO], 1)
    store.append("t", [HELLO], 0)
    assert store.load("s") == SessionHistory((HI, HELLO), 2)
    assert store.load("t") == SessionHistory((HELLO,), 1)


def test_the_second_of_two_writers_conflicts_and_loses_nothing() -> None:
    store = InMemorySessions()
    first, second = store.load("s"), store.load("s")
    store.append("s", [HI], first.version)
    with pytest.raises(SessionError, match="another turn was saved"):
        store.append("s", [HELLO], second.version)
    assert store.load("s") == SessionHistory((HI,), 1)


def test_a_loaded_history_does_not_change() -> None:
    store = InMemorySessions()
    store.append("s", [HI], 0)
    loaded = store.load("s")
    store.append("s", [HELLO], 1)
    assert loaded == SessionHistory((HI,), 1)


@pytest.mark.parametrize("session", ["", "../x"])
def test_an_id_that_is_not_allowed_is_refused(session: str) -> None:
    store = InMemorySessions()
    with pytest.raises(SessionError, match="not allowed"):
        store.load(session)
    with pytest.raises(SessionError, match="not allowed"):
        store.append(session, [HI], 0)
