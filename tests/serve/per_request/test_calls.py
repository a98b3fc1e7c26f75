from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
from fastapi import HTTPException
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import Request

from finalturn.serve import ServeConfig
from tests.serve._agents import SECRET
from tests.serve.per_request._parts import (
    Book,
    User,
    ask,
    bodies,
    of_user,
    served,
    user,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("path", list(bodies()))
@pytest.mark.parametrize("name", ["deps", "agent_for"])
async def test_the_application_may_refuse_a_turn(path: str, name: str) -> None:
    refusals: dict[str, Exception] = {
        "401": HTTPException(401, "Log in again.", {"WWW-Authenticate": "Cookie", "Content-Length": "7"}),
        "403": StarletteHTTPException(403, "This account is closed."),
        "404": HTTPException(404),
        "402": HTTPException(402, {"due": 7}),
        "429": HTTPException(429, "Too much today.", {"Retry-After": "60"}),
        "599": HTTPException(599, ""),
    }

    async def refuse(request: Request, owner: str | None) -> Any:
        raise refusals[owner or ""]

    given = {"deps": user, name: refuse}
    app = served(of_user(), **given)
    found = {user: await ask(app, user, path) for user in refusals}
    told = {
        user: (answer.status, answer.json["code"], answer.json["title"], answer.json["detail"])
        for user, answer in found.items()
    }
    assert told == {
        "401": (401, "refused", "Unauthorized", "Log in again."),
        "403": (403, "refused", "Forbidden", "This account is closed."),
        "404": (404, "refused", "Not Found", "Not Found"),
        "402": (402, "refused", "Payment Required", "Payment Required"),
        "429": (429, "refused", "Too Many Requests", "Too much today."),
        "599": (599, "refused", "Error", "The request is refused."),
    }
    assert found["401"].header("www-authenticate") == "Cookie"
    assert found["429"].header("retry-after") == "60"
    assert [user for user, answer in found.items() if answer.json["retryable"]] == ["429"]
    # Nothing of them is left: the sessions are free, and one may go on at once.
    assert {answer.header("content-type") for answer in found.values()} == {"application/problem+json"}


@pytest.mark.parametrize("kind", ["sync", "async", "generator", "redirect", "interrupt"])
async def test_what_else_it_raises_is_500_and_logged_without_its_text(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    def sync(request: Request, owner: str | None) -> User:
        raise KeyError(SECRET)

    async def later(request: Request, owner: str | None) -> User:
        raise KeyError(SECRET)

    def steps(request: Request, owner: str | None) -> Generator[User, None, None]:
        raise KeyError(SECRET)
        yield

    async def redirect(request: Request, owner: str | None) -> User:
        raise HTTPException(302, SECRET, {"Location": "/login"})

    async def interrupt(request: Request, owner: str | None) -> User:
        raise SystemExit(SECRET)

    deps = {"sync": sync, "async": later, "generator": steps, "redirect": redirect, "interrupt": interrupt}
    answer = await ask(served(of_user(), deps[kind]))
    assert (answer.status, answer.json["code"]) == (500, "internal_error")
    assert SECRET.encode() not in answer.body and SECRET not in caplog.text
    if kind != "interrupt":
        assert "deps raised" in caplog.text and "test_what_else_it_raises" in caplog.text


@pytest.mark.parametrize("wrong", ["Order", SECRET, None])
async def test_deps_of_another_type_are_500_and_closed(
    wrong: object, caplog: pytest.LogCaptureFixture
) -> None:
    book = Book()

    async def deps(request: Request, owner: str | None) -> AsyncGenerator[Any, None]:
        try:
            yield wrong
        except BaseException as error:
            book.close(error)
            raise

    answer = await ask(served(of_user(), deps))
    assert (answer.status, answer.json["code"]) == (500, "internal_error")
    assert book.lines == ["closed by ConfigurationError"]
    (record,) = [one for one in caplog.records if one.levelno == logging.ERROR]
    assert "deps must be of type User, not" in vars(record)["reason"]
    assert SECRET not in str(vars(record)) and SECRET.encode() not in answer.body


async def test_one_that_is_refused_leaves_the_session_free() -> None:
    asked: list[str] = []

    async def deps(request: Request, owner: str | None) -> User:
        asked.append("x")
        if len(asked) == 1:
            raise HTTPException(403, "Not now.")
        return User("ann")

    app = served(of_user(), deps, config=ServeConfig(max_runs=1, busy_timeout=60, resume_for=60))
    assert (await ask(app)).status == 403
    assert (await ask(app)).status == 200
