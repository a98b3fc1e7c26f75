"""Session stores that hang, fail, or hold what is no conversation."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    ConfigurationError,
    Message,
    SessionDamagedError,
    SessionError,
    SessionHistory,
    SessionTimeoutError,
)
from finalturn._agent.stores import load_history
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

pytestmark = pytest.mark.anyio

BOUND = 30.0
"""Seconds after which a test fails that waits for ever."""


class Hanging:
    """A store that never answers.

    Args:
        method: the method that hangs.
    """

    # Long enough for what is to answer, on a busy machine too.
    session_timeout = 0.5

    def __init__(self, method: str) -> None:
        self._method = method
        self.cancelled = False

    async def load(self, session: str, /) -> SessionHistory:
        await self._hang("load")
        return SessionHistory()

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        await self._hang("append")

    async def _hang(self, method: str) -> None:
        if method == self._method:
            try:
                await anyio.Event().wait()
            except anyio.get_cancelled_exc_class():
                self.cancelled = True
                raise


class Deaf(Hanging):
    """It takes no notice of its cancellation either, until the test is over."""

    over = False

    async def _hang(self, method: str) -> None:
        while method == self._method and not self.over:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled = True


class Blocking:
    """A synchronous store that never answers, until the test is over."""

    # Long enough for what is to answer, on a busy machine too.
    session_timeout = 0.5

    def __init__(self, method: str) -> None:
        self._method = method
        self.over = threading.Event()

    def load(self, session: str, /) -> SessionHistory:
        self._block("load")
        return SessionHistory()

    def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        self._block("append")

    def _block(self, method: str) -> None:
        if method == self._method:
            self.over.wait(BOUND)


async def ask(store: Any) -> SessionTimeoutError:
    """A turn on a store that does not answer."""
    with anyio.fail_after(BOUND), pytest.raises(SessionTimeoutError) as caught:
        await Agent(Scripted("Done."), sessions=store).arun("Hello", session="s")
    assert "did not answer within 0.5 seconds" in str(caught.value)
    return caught.value


@pytest.mark.parametrize("make", [Hanging, Blocking])
async def test_a_store_that_does_not_answer_is_a_timeout(make: type[Hanging] | type[Blocking]) -> None:
    loading, saving = make("load"), make("append")
    assert (await ask(loading)).result is None
    error = await ask(saving)
    assert error.result is not None and error.result.text == "Done."
    for store in (loading, saving):
        if isinstance(store, Blocking):
            store.over.set()
        else:
            assert store.cancelled


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_store_that_ignores_its_cancellation_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finalturn._agent.loop._LAST_SECONDS", 0.05)
    loading, saving = Deaf("load"), Deaf("append")
    try:
        assert (await ask(loading)).result is None and loading.cancelled
        assert (await ask(saving)).result is not None and saving.cancelled
    finally:
        # The loop cancels what is left, and waits for it.
        loading.over = saving.over = True


def test_a_store_that_does_not_answer_a_synchronous_turn_is_a_timeout() -> None:
    for store in (Hanging("append"), Blocking("append")):
        with pytest.raises(SessionTimeoutError) as caught:
            Agent(Scripted("Done."), sessions=store).run("Hello", session="s")
        assert caught.value.result is not None and caught.value.result.text == "Done."
        if isinstance(store, Blocking):
            store.over.set()


async def test_a_stream_shows_everything_before_its_store_is_given_up() -> None:
    store, shown = Hanging("append"), list[str]()
    stream = Agent(Scripted(["One", " two."]), sessions=store).astream("Hello", session="s")

    async def read() -> None:
        async for chunk in stream:
            shown.append(getattr(chunk, "content", ""))

    with anyio.fail_after(BOUND), pytest.raises(SessionTimeoutError):
        await read()
    assert "".join(shown) == "One two."


async def test_other_tasks_run_while_a_synchronous_store_blocks() -> None:
    store = Blocking("load")
    store.session_timeout = BOUND
    agent = Agent(Scripted("Done."), sessions=store)
    async with anyio.create_task_group() as group:

        async def turn() -> None:
            assert (await agent.arun("Hello", session="s")).text == "Done."

        group.start_soon(turn)
        await anyio.wait_all_tasks_blocked()
        store.over.set()


async def test_a_store_that_is_left_ends_by_its_cancellation() -> None:
    store = Hanging("load")
    store.session_timeout = BOUND
    with anyio.move_on_after(0.05):
        await Agent(Scripted("Done."), sessions=store).arun("Hello", session="s")
    assert store.cancelled


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_an_answer_at_the_last_moment_counts() -> None:
    class Late(InMemorySessions):
        session_timeout = 0.05

        async def load(self, session: str, /) -> SessionHistory:  # type: ignore[override]
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            return SessionHistory((Message.user("hi"),), 1)

    assert (await load_history(Late(), "s")).version == 1


async def test_no_limit_is_none() -> None:
    class Patient(Hanging):
        session_timeout = None  # type: ignore[assignment]

    assert (await Agent(Scripted("Done."), sessions=Patient("")).arun("Hello", session="s")).text == "Done."


@pytest.mark.parametrize("wrong", [0, -1, "5", True, float("inf"), float("nan")])
def test_a_limit_that_is_no_time_is_refused(wrong: Any) -> None:
    store = Hanging("")
    store.session_timeout = wrong
    with pytest.raises(ConfigurationError, match="session_timeout of a session store is a number of seconds"):
        Agent(Scripted(), sessions=store)


def _unreadable() -> SessionHistory:
    return SessionHistory((Message.from_dict(json.loads('{"role": "user", "newer": 1}')),), 1)


@pytest.mark.parametrize(
    "read",
    [
        _unreadable,
        lambda: json.loads("{"),
        lambda: b"\xff".decode(),
        lambda: [Message.user("hi")],
        lambda: SessionHistory(({"role": "user"},), 1),  # type: ignore[arg-type]
    ],
    ids=["newer", "no-json", "no-text", "no-history", "no-message"],
)
async def test_what_is_stored_and_no_conversation_is_damaged(read: Any) -> None:
    class Damaged(InMemorySessions):
        def load(self, session: str, /) -> SessionHistory:
            found: SessionHistory = read()
            return found

    with pytest.raises(SessionDamagedError):
        await Agent(Scripted("Done."), sessions=Damaged()).arun("Hello", session="s")


@pytest.mark.parametrize("error", [OSError(5, "gone"), KeyError("s")])
async def test_what_cannot_be_read_now_is_not_damaged(error: Exception) -> None:
    class Broken(InMemorySessions):
        def load(self, session: str, /) -> SessionHistory:
            raise error

    with pytest.raises(SessionError) as caught:
        await load_history(Broken(), "s")
    assert type(caught.value) is SessionError and caught.value.__cause__ is error
