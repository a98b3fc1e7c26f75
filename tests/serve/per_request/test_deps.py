from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pytest
from anyio import wait_all_tasks_blocked
from fastapi import FastAPI
from starlette.requests import Request

from finalturn import ConfigurationError
from finalturn.serve import ServeConfig, create_app, create_router
from finalturn.sessions import InMemorySessions
from tests.serve._agents import SECRET, Held, plain
from tests.serve._asgi import Client, lifespan
from tests.serve.per_request._parts import (
    ENTERED,
    PLAIN,
    RESUME,
    Book,
    User,
    ask,
    bodies,
    given_by,
    of_user,
    served,
    stream_of,
    user,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("kind", [*PLAIN, *ENTERED])
async def test_each_kind_gives_what_the_turn_is_run_with_on_every_route(kind: str) -> None:
    for path in bodies():
        book = Book()
        app = served(of_user(), given_by(kind, book))
        answer = await ask(app, "ann", path)
        assert answer.status == 200
        assert f"ann in {answer.header('x-run-id')}".encode() in answer.body
        assert book.lines == (["opened", "closed"] if kind in ENTERED else [])


@pytest.mark.parametrize("kind", ENTERED)
async def test_each_kind_is_told_what_has_ended_the_turn(kind: str) -> None:
    book = Book()
    answer = await ask(served(of_user(["Hel", RuntimeError(SECRET)]), given_by(kind, book)))
    assert answer.records[-1]["type"] == "error"
    assert book.lines == ["opened", "closed by RuntimeError"]


async def test_a_generator_is_one_piece_of_code_for_its_context_variables() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="outside")
    seen: list[str] = []

    def steps(request: Request, owner: str | None) -> Generator[User, None, None]:
        token = variable.set("inside")
        yield User("ann")
        seen.append(variable.get())
        variable.reset(token)

    assert (await ask(served(of_user(), steps))).status == 200
    assert seen == ["inside"]


async def test_what_is_open_asynchronously_is_closed_by_the_task_that_opened_it() -> None:
    async def timed(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        async with asyncio.timeout(60), asyncio.TaskGroup():
            yield User("ann")

    assert (await ask(served(of_user(), timed))).records[-1]["type"] == "result"


async def test_the_body_has_been_read() -> None:
    async def deps(request: Request, owner: str | None) -> User:
        return User((await request.json())["input"])

    answer = await ask(served(of_user(), deps))
    assert b"Hello in " in answer.body


async def test_it_sees_what_authenticate_has_found_out() -> None:
    def authenticate(request: Request) -> str:
        request.state.user = User("Ann Smith")
        return "ann"

    def found(request: Request, owner: str | None) -> User:
        user: User = request.state.user
        return user

    for path in bodies():
        app = FastAPI()
        router = create_router(of_user(), authenticate=authenticate, deps=found, sessions=InMemorySessions())
        app.include_router(router)
        assert b"Ann Smith in " in (await ask(app, path=path)).body


# When it is called.


async def test_it_is_called_once_for_a_turn_and_never_for_who_comes_back() -> None:
    asked: list[str | None] = []

    def deps(request: Request, owner: str | None) -> User:
        asked.append(owner)
        return User("ann")

    app = served(of_user(), deps, config=RESUME)
    client = Client(app, {"x-user": "ann"})
    for path in ("/v1/chat/stream", "/ai-sdk"):
        first = await ask(app, "ann", path, session=path[1:3])
        again = await client.send("POST", path, json=bodies(path[1:3])[path], headers={"last-event-id": "1"})
        assert again.status == 200 and first.body.endswith(again.body)
    run_id = (await ask(app)).header("x-run-id")
    for _ in range(2):
        resumed = await client.send("GET", f"/v1/chat/stream/{run_id}?session=s")
        assert resumed.records[-1]["type"] == "result"
    assert asked == ["ann"] * 3


async def test_it_is_not_called_for_a_request_that_begins_no_turn() -> None:
    def deps(request: Request, owner: str | None) -> User:
        raise AssertionError("there is no turn")

    app = served(of_user(), deps)
    assert (await Client(app).send("POST", "/v1/chat", json={"input": "Hello"})).status == 401
    for path in bodies():
        assert (await Client(app, {"x-user": "ann"}).send("POST", path, json={})).status == 422


async def test_it_is_not_called_where_there_is_no_room_for_a_turn() -> None:
    asked: list[str | None] = []

    def deps(request: Request, owner: str | None) -> User:
        asked.append(owner)
        return User("ann")

    app = served(of_user(Held().items), deps, config=ServeConfig(max_runs=1))
    stream = stream_of(app)
    await stream.until(b"Wait")
    assert (await ask(app, "bob")).status == 503
    await stream.leave()
    assert asked == ["ann"]


async def test_an_override_with_deps_takes_its_place() -> None:
    def deps(request: Request, owner: str | None) -> User:
        raise AssertionError("a test has its own")

    agent = of_user()
    app = served(agent, deps)
    with agent.override(deps=User("test")):
        answer = await ask(app)
    assert b"test in " in answer.body


class Slow:
    """Deps that are opened as long as the test wants."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.lines: list[str] = []

    async def __call__(self, request: Request, owner: str | None) -> User:
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.lines.append("stopped")
            raise
        return User("ann")


async def test_a_shutdown_stops_it() -> None:
    slow = Slow()
    app = served(of_user(), slow, config=ServeConfig(drain_timeout=0))
    async with lifespan(app):
        stream = stream_of(app)
        await slow.begun.wait()
    answer = await stream.read()
    assert (answer.status, answer.json["code"], slow.lines) == (503, "shutting_down", ["stopped"])


async def test_another_request_of_the_session_does_not_stop_it() -> None:
    slow = Slow()
    app = served(of_user(), slow, config=ServeConfig(busy_timeout=0))
    stream = stream_of(app)
    await slow.begun.wait()
    second = await ask(app)
    assert (second.status, second.json["code"]) == (409, "session_busy")
    slow.go_on.set()
    assert (await stream.read()).records[-1]["type"] == "result"


async def test_what_a_thread_opens_for_a_turn_that_was_stopped_is_closed() -> None:
    book = Book()
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    @contextmanager
    def slow(request: Request, owner: str | None) -> Generator[User, None, None]:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(60)
        book.note("opened")
        try:
            yield User("ann")
        except BaseException as error:
            book.close(error)
            raise

    app = served(of_user(), slow, config=ServeConfig(drain_timeout=0))
    served_app = lifespan(app)
    await served_app.__aenter__()
    stream = stream_of(app)
    await begun.wait()
    stopping = asyncio.create_task(served_app.__aexit__(None, None, None))
    await wait_all_tasks_blocked()
    go_on.set()
    await stopping
    assert (await stream.read()).json["code"] == "shutting_down"
    assert book.lines == ["opened", "closed by CancelledError"]


class TestConfiguration:
    def test_deps_that_are_needed_or_not(self) -> None:
        odd: Any = of_user()
        with pytest.raises(ConfigurationError, match="deps of type User, and nothing gives them: add deps="):
            create_app(odd)
        with pytest.raises(ConfigurationError, match="nothing gives them"):
            create_router(odd, authenticate=None)
        without: Any = plain()
        with pytest.raises(ConfigurationError, match="deps is given, and the agent has none"):
            create_app(without, deps=user)

    def test_what_is_no_function(self) -> None:
        odd: Any = User("ann")
        with pytest.raises(ConfigurationError, match="deps must be a function of a request and its owner"):
            create_app(of_user(), deps=odd)
        with pytest.raises(ConfigurationError, match="that gives an Agent, not a User"):
            create_app(plain(), agent_for=odd)
