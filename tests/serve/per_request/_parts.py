"""Turns that are run with what an application gives for their request."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from starlette.requests import Request

from finalturn import Agent, RunContext, tool
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_router
from finalturn.sessions import InMemorySessions
from tests.serve._asgi import Answer, Client, Exchange

RESUME = ServeConfig(resume_for=60)


class User:
    """Who is asking."""

    def __init__(self, name: str) -> None:
        self.name = name


class Guest(User):
    """A user of a kind."""


class Book:
    """What happened to the deps that were given, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.closing: Callable[[], object] = lambda: None

    def note(self, line: str) -> None:
        """Write a line."""
        self.lines.append(line)

    def close(self, why: BaseException | None) -> None:
        """The end of deps."""
        self.closing()
        self.note("closed" if why is None else f"closed by {type(why).__name__}")


@tool
def whoami(ctx: RunContext[User]) -> str:
    """Who is asking."""
    return f"{ctx.deps.name} in {ctx.run_id}"


def of_user(*calls: Any, **parts: Any) -> Agent[None, User]:
    """An agent that says whose turn it is."""
    asks = calls or (Scripted.call("whoami", {}),)
    return Agent(Scripted(*asks, then="Done."), tools=[whoami], deps_type=User, **parts)


def who(request: Request) -> str | None:
    """The owner of a request."""
    return request.headers.get("x-user")


def user(request: Request, owner: str | None) -> User:
    """The deps of somebody."""
    return User(owner or "nobody")


def always(value: Any) -> Any:
    """A function that gives the same for every request."""

    def give(request: Request, owner: str | None) -> Any:
        return value

    return give


def served(agent: Agent[Any, User], deps: Any, **parts: Any) -> FastAPI:
    """An application whose owners are named in a header."""
    app = FastAPI()
    parts.setdefault("sessions", InMemorySessions())
    app.include_router(create_router(agent, authenticate=who, deps=deps, **parts))
    return app


def bodies(session: str = "s") -> dict[str, dict[str, Any]]:
    """A request for a turn, by its path."""
    message = {"id": "m", "role": "user"}
    parts = [{"type": "text", "text": "Hello"}]
    return {
        "/v1/chat": {"input": "Hello", "session": session},
        "/v1/chat/stream": {"input": "Hello", "session": session},
        "/ag-ui": {"threadId": session, "runId": "r", "messages": [message | {"content": "Hello"}]},
        "/ai-sdk": {"id": session, "trigger": "submit-message", "messages": [message | {"parts": parts}]},
    }


async def ask(app: FastAPI, user: str = "ann", path: str = "/v1/chat/stream", session: str = "s") -> Answer:
    """Ask for a turn."""
    return await Client(app, {"x-user": user}).send("POST", path, json=bodies(session)[path])


def stream_of(app: FastAPI, user: str = "ann") -> Exchange:
    """Ask for a stream, and read it as it comes."""
    return Client(app, {"x-user": user}).open("POST", "/v1/chat/stream", json=bodies()["/v1/chat/stream"])


class Later:
    """An object whose calls are asynchronous."""

    async def __call__(self, request: Request, owner: str | None) -> User:
        return User(owner or "nobody")


class Connection:
    """What a pool gives: it can be awaited, and is closed only where it was entered."""

    def __init__(self, book: Book, name: str) -> None:
        self._book = book
        self._name = name

    def __await__(self) -> Generator[Any, None, User]:
        raise AssertionError("it is entered, not awaited")
        yield

    async def __aenter__(self) -> User:
        self._book.note("opened")
        return User(self._name)

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._book.close(error)


def given_by(kind: str, book: Book) -> Any:
    """A function of each kind that deps may be."""

    def value(request: Request, owner: str | None) -> User:
        assert threading.current_thread() is not threading.main_thread()
        return User(owner or "nobody")

    async def later(request: Request, owner: str | None) -> User:
        assert threading.current_thread() is threading.main_thread()
        return User(owner or "nobody")

    def steps(request: Request, owner: str | None) -> Generator[User, None, None]:
        book.note("opened")
        try:
            yield User(owner or "nobody")
        except BaseException as error:
            book.close(error)
            raise
        book.close(None)

    async def later_steps(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        book.note("opened")
        try:
            yield User(owner or "nobody")
        except BaseException as error:
            book.close(error)
            raise
        book.close(None)

    async def manager_later(request: Request, owner: str | None) -> Any:
        return asynccontextmanager(later_steps)(request, owner)

    def connection(request: Request, owner: str | None) -> Connection:
        return Connection(book, owner or "nobody")

    return {
        "a value": value,
        "a value later": later,
        "of an object": Later(),
        "a partial": partial(user),
        "a generator": steps,
        "an asynchronous generator": later_steps,
        "a context manager": contextmanager(steps),
        "an asynchronous context manager": asynccontextmanager(later_steps),
        "an asynchronous context manager later": manager_later,
        "a connection of a pool": connection,
    }[kind]


PLAIN = ["a value", "a value later", "of an object", "a partial"]
ENTERED = [
    "a generator",
    "an asynchronous generator",
    "a context manager",
    "an asynchronous context manager",
    "an asynchronous context manager later",
    "a connection of a pool",
]
