"""What is made of the answers of an `Authenticate`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from finalturn._serve.access.authenticate import Authenticate, owner_of
from finalturn._serve.access.keys import ApiKeys, new_key
from finalturn._serve.problems.problem import Problem

SECRET = "s3cret-of-a-client"
REQUEST = Request({"type": "http", "headers": [(b"authorization", f"Bearer {SECRET}".encode())]})


def gives(answer: object) -> list[Authenticate]:
    """A sync and an async function that give it."""

    def sync(request: Request) -> Any:
        assert request is REQUEST
        return answer

    async def coroutine(request: Request) -> Any:
        assert request is REQUEST
        await asyncio.sleep(0)
        return answer

    return [sync, coroutine]


def raises(error: BaseException) -> list[Authenticate]:
    """A sync and an async function that raise it."""

    def sync(request: Request) -> str:
        raise error

    async def coroutine(request: Request) -> str:
        await asyncio.sleep(0)
        raise error

    return [sync, coroutine]


def refusal(authenticate: Authenticate) -> Problem:
    with pytest.raises(Problem) as caught:
        asyncio.run(owner_of(authenticate, REQUEST))
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize(
    "name", ["alice", "a.b@c-D_9", "auth0|1", "https://id.example/u/1", "a:b", "\u00e9", " ", "x" * 1024]
)
def test_a_name_is_the_owner(name: str) -> None:
    for authenticate in gives(name):
        assert asyncio.run(owner_of(authenticate, REQUEST)) == name


def test_where_nobody_asks_there_is_no_owner() -> None:
    assert asyncio.run(owner_of(None, REQUEST)) is None


def test_keys_are_one() -> None:
    key, line = new_key("alice")
    keys: Authenticate = ApiKeys([line])
    headers = [(b"authorization", f"bearer {key}".encode())]
    assert asyncio.run(owner_of(keys, Request({"type": "http", "headers": headers}))) == "alice"
    assert refusal(keys).status == 401


def test_somebody_unknown_is_401() -> None:
    for authenticate in gives(None):
        problem = refusal(authenticate)
        assert (problem.code, problem.status) == ("unauthorized", 401)
        assert problem.headers == {"WWW-Authenticate": "Bearer"}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "an empty name"),
        ("x" * 1025, "a name that is too long"),
        (True, "a value of type bool"),
        (False, "a value of type bool"),
        (0, "a value of type int"),
        (b"alice", "a value of type bytes"),
        (["alice"], "a value of type list"),
        ({}, "a value of type dict"),
    ],
)
def test_what_is_no_owner_is_500_and_logged(
    answer: object, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    for authenticate in gives(answer):
        caplog.clear()
        problem = refusal(authenticate)
        assert (problem.code, problem.status, problem.headers) == ("internal_error", 500, {})
        (record,) = caplog.records
        assert (record.name, record.levelno) == ("finalturn.serve", logging.ERROR)
        assert record.getMessage().startswith(
            f"authenticate gave {said}: it must give None, or a name of 1 to 1024"
        )


@pytest.mark.parametrize(
    "error",
    [KeyError(SECRET), RuntimeError(SECRET), HTTPException(200, SECRET), Problem("not_found", SECRET)],
    ids=lambda error: type(error).__name__,
)
def test_an_exception_lets_nobody_in_and_its_text_stays_out_of_the_log(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    for authenticate in raises(error):
        caplog.clear()
        problem = refusal(authenticate)
        error.__traceback__ = None
        assert (problem.code, problem.status) == ("internal_error", 500)
        assert SECRET not in str(problem.document())
        (record,) = caplog.records
        where = f"raises.<locals>.{authenticate.__name__}"
        assert record.getMessage().startswith(
            f"authenticate raised {type(error).__name__}, in {where}, line "
        )
        assert SECRET not in caplog.text and not record.exc_info and "/" not in record.getMessage()


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError, SystemExit])
def test_whoever_stops_the_server_is_not_held_up(error: Callable[[], BaseException]) -> None:
    async def stop(authenticate: Authenticate) -> None:
        await owner_of(authenticate, REQUEST)

    for authenticate in raises(error()):
        with pytest.raises(type(error())):
            asyncio.run(stop(authenticate))
