"""The end of what a turn is run with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked
from starlette.requests import Request

from finalturn.providers import Scripted
from finalturn.serve import ServeConfig
from tests.serve._agents import SECRET, Held
from tests.serve._asgi import Client, lifespan
from tests.serve.per_request._parts import (
    ENTERED,
    RESUME,
    Book,
    User,
    ask,
    given_by,
    of_user,
    served,
    stream_of,
)

pytestmark = pytest.mark.anyio


async def test_a_client_that_is_gone_ends_it() -> None:
    book = Book()
    held = Held()
    app = served(of_user(held.items), given_by("an asynchronous generator", book))
    stream = stream_of(app)
    await stream.until(b"Wait")
    assert book.lines == ["opened"]
    await stream.leave()
    assert held.stopped.is_set() and book.lines == ["opened", "closed by CancelledError"]


async def test_a_client_that_asks_to_stop_ends_it() -> None:
    book = Book()
    app = served(of_user(Held().items), given_by("a generator", book), config=RESUME)
    stream = stream_of(app)
    await stream.until(b"Wait")
    run_id = stream.answer.header("x-run-id")
    stop = await Client(app, {"x-user": "ann"}).send("DELETE", f"/v1/chat/stream/{run_id}?session=s")
    assert stop.status == 204 and book.lines == ["opened", "closed by CancelledError"]
    assert (await stream.read()).records[-1]["code"] == "stopped"


async def test_a_turn_that_goes_on_in_the_background_keeps_it_to_its_end() -> None:
    book = Book()
    held = Held(Scripted.call("whoami", {}))
    app = served(of_user(held.items), given_by("an asynchronous generator", book), config=RESUME)
    stream = stream_of(app)
    await stream.until(b"Wait")
    await stream.leave()
    assert book.lines == ["opened"]
    held.go_on.set()
    run_id = stream.answer.header("x-run-id")
    resumed = await Client(app, {"x-user": "ann"}).send("GET", f"/v1/chat/stream/{run_id}?session=s")
    assert f"ann in {run_id}".encode() in resumed.body
    assert (await ask(app)).status == 200
    assert book.lines == ["opened", "closed"] * 2


async def test_a_shutdown_ends_it() -> None:
    book = Book()
    app = served(
        of_user(Held().items),
        given_by("an asynchronous generator", book),
        config=ServeConfig(drain_timeout=0),
    )
    async with lifespan(app):
        stream = stream_of(app)
        await stream.until(b"Wait")
    assert book.lines == ["opened", "closed by CancelledError"]
    assert (await stream.read()).records[-1]["code"] == "shutting_down"


async def test_a_shutdown_waits_for_its_end() -> None:
    closed: list[str] = []
    bob_closed, go_on = asyncio.Event(), asyncio.Event()

    async def slow(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        yield User("ann")
        if owner == "ann":
            await go_on.wait()
        closed.append(owner or "")
        if owner == "bob":
            bob_closed.set()

    app = served(of_user(), slow, config=RESUME)

    async def stop() -> None:
        async with lifespan(app):
            for user in ("ann", "bob"):
                # The answer comes first.
                assert (await ask(app, user)).records[-1]["type"] == "result"
            # That another one has come to its end is not enough.
            await bob_closed.wait()

    stopping = asyncio.create_task(stop())
    await bob_closed.wait()
    await wait_all_tasks_blocked()
    assert not stopping.done() and closed == ["bob"]
    go_on.set()
    await stopping
    assert closed == ["bob", "ann"]


async def test_the_next_turn_of_a_session_waits_for_its_end() -> None:
    book, go_on = Book(), asyncio.Event()

    async def slow(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        book.note("opened")
        yield User("ann")
        await go_on.wait()
        book.note("closed")

    app = served(of_user(), slow, config=ServeConfig(busy_timeout=60))
    first = stream_of(app)
    await first.until(b'"result"')
    second = stream_of(app)
    await wait_all_tasks_blocked()
    assert book.lines == ["opened"] and not second.ended
    go_on.set()
    assert (await second.read()).records[-1]["type"] == "result"
    assert book.lines == ["opened", "closed"] * 2


async def test_an_end_that_is_under_way_is_not_cut_off() -> None:
    book, go_on, begun = Book(), asyncio.Event(), asyncio.Event()

    async def slow(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        try:
            yield User("ann")
        finally:
            begun.set()
            await go_on.wait()
            book.note("closed")

    app = served(of_user(["Hel", RuntimeError(SECRET)]), slow, config=RESUME)
    stream = stream_of(app)
    await begun.wait()
    # Its client has its answer, and stops it all the same.
    run_id = stream.answer.header("x-run-id")
    client = Client(app, {"x-user": "ann"})
    stops = [client.open("DELETE", f"/v1/chat/stream/{run_id}?session=s") for _ in range(2)]
    await wait_all_tasks_blocked()
    go_on.set()
    for stop in stops:
        await stop.read()
    assert (await stream.read()).records[-1]["code"] == "internal_error"
    assert book.lines == ["closed"]


@pytest.mark.parametrize("kind", ENTERED)
@pytest.mark.parametrize("call", [("Hello",), ([RuntimeError("x")],)])
async def test_an_end_that_fails_changes_nothing_of_the_turn(
    kind: str, call: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise ValueError(SECRET)

    book = Book()
    book.closing = fail
    answer = await ask(served(of_user(*call), given_by(kind, book)))
    assert answer.records[-1]["type"] == ("result" if call == ("Hello",) else "error")
    assert "the end of deps raised ValueError, in " in caplog.text and SECRET not in caplog.text


async def test_one_that_swallows_what_has_ended_the_turn_does_not_save_it() -> None:
    async def swallow(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        with suppress(RuntimeError):
            yield User("ann")

    answer = await ask(served(of_user(["Hel", RuntimeError(SECRET)]), swallow))
    assert answer.records[-1]["code"] == "internal_error"
