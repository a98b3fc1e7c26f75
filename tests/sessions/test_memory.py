"""Sessions in memory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC

import pytest

from finalturn import Message, SessionCatalog, SessionConflictError, SessionError, SessionStore
from finalturn._core.protocols import SessionHistory
from finalturn.sessions import InMemorySessions

HI = Message.user("hi")
HELLO = Message.assistant("hello")


def test_it_is_a_store() -> None:
    assert isinstance(InMemorySessions(), SessionStore)
    assert isinstance(InMemorySessions(), SessionCatalog)


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
    with pytest.raises(SessionConflictError, match="another turn was saved"):
        store.append("s", [HELLO], second.version)
    assert store.load("s") == SessionHistory((HI,), 1)


def test_of_many_threads_that_start_from_one_version_one_wins() -> None:
    store, barrier = InMemorySessions(), threading.Barrier(8)

    def write(number: int) -> bool:
        version = store.load("s").version
        barrier.wait(30)
        try:
            store.append("s", [Message.user(str(number))], version)
        except SessionError:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        won = [number for number, done in enumerate(threads.map(write, range(8))) if done]
    assert len(won) == 1
    assert store.load("s") == SessionHistory((Message.user(str(won[0])),), 1)


def test_what_the_caller_does_to_its_list_changes_nothing() -> None:
    store, given = InMemorySessions(), [HI]
    store.append("s", given, 0)
    given.clear()
    assert store.load("s").messages == (HI,)


@pytest.mark.parametrize("version", [-1, 1, 7])
def test_a_version_that_is_not_the_sessions_is_a_conflict(version: int) -> None:
    store = InMemorySessions()
    with pytest.raises(SessionError, match="load it again and repeat the turn"):
        store.append("s", [HI], version)
    assert store.load("s") == SessionHistory()


def test_an_append_of_nothing_is_a_turn_too() -> None:
    store = InMemorySessions()
    store.append("s", [], 0)
    assert store.load("s") == SessionHistory((), 1)


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
    with pytest.raises(SessionError, match="not allowed"):
        store.delete(session)


def test_sessions_are_listed_in_pages_by_ascii() -> None:
    store = InMemorySessions()
    for session in ("b", "a", "B", "key:a"):
        store.append(session, [HI], 0)
    store.append("a", [HELLO], 1)
    assert [one.session for one in store.list_sessions("", "", 9)] == ["B", "a", "b", "key:a"]
    assert [(one.session, one.version) for one in store.list_sessions("", "B", 2)] == [("a", 2), ("b", 1)]
    assert [one.session for one in store.list_sessions("key:", "", 9)] == ["key:a"]
    assert store.list_sessions("", "", 1)[0].updated.tzinfo is UTC


def test_a_session_that_was_deleted_is_empty_and_conflicts_with_who_began_before() -> None:
    store = InMemorySessions()
    store.append("s", [HI], 0)
    assert (store.delete("s"), store.delete("s")) == (True, False)
    assert store.load("s") == SessionHistory() and store.list_sessions("", "", 9) == []
    with pytest.raises(SessionConflictError):
        store.append("s", [HELLO], 1)
