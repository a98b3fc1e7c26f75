"""One log line for each request, whatever comes of it."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from finalturn._serve.logs.requests import RequestLog
from finalturn.serve import create_app
from tests.serve._agents import SECRET, desk
from tests.serve._asgi import Client, lifespan

pytestmark = pytest.mark.anyio

HI = {"input": "hi"}


@pytest.fixture(autouse=True)
def every_record(caplog: pytest.LogCaptureFixture) -> None:
    """The records of the server are kept."""
    caplog.set_level(logging.DEBUG, "finalturn.serve")


def last(caplog: pytest.LogCaptureFixture) -> dict[str, Any]:
    """The last of the lines about requests, and how many there are of the same run."""
    (*_, found) = [vars(line) for line in caplog.records if line.getMessage() == "request"]
    names = ("levelname", "method", "route", "status", "run_id", "complete")
    return {name: found[name] for name in names} if found["duration_ms"] >= 0 else {}


def client(app: Any = None) -> Client:
    return Client(RequestLog(app or create_app(desk())))


async def test_a_request_is_logged_by_its_route(caplog: pytest.LogCaptureFixture) -> None:
    answer = await client().send("POST", f"/v1/chat/stream?key={SECRET}", json=HI)
    assert last(caplog) == {
        "levelname": "INFO",
        "method": "POST",
        "route": "/v1/chat/stream",
        "status": 200,
        "run_id": answer.header("x-run-id"),
        "complete": True,
    }
    assert SECRET not in str([vars(line) for line in caplog.records])


@pytest.mark.parametrize(
    ("method", "target", "level", "route", "status"),
    [
        ("GET", "/health", "DEBUG", "/health", 200),
        ("GET", "/health/live", "DEBUG", "/health/live", 200),
        ("GET", f"/{SECRET}", "INFO", None, 404),
        (f"{SECRET}\n", "/health", "INFO", "/health", 405),
    ],
)
async def test_what_is_asked_for_is_not_repeated(
    caplog: pytest.LogCaptureFixture, method: str, target: str, level: str, route: str | None, status: int
) -> None:
    await client().send(method, target)
    found = last(caplog)
    assert (found["levelname"], found["route"], found["status"]) == (level, route, status)
    assert SECRET not in str([vars(line) for line in caplog.records])


async def test_a_client_that_leaves_has_no_complete_answer(caplog: pytest.LogCaptureFixture) -> None:
    stream = client(create_app(desk(["One", asyncio.Event().wait]))).open("POST", "/v1/chat/stream", json=HI)
    await stream.until(b"One")
    await stream.leave()
    found = last(caplog)
    assert (found["status"], found["complete"]) == (200, False)


async def test_an_application_that_raises_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Any, receive: Any, send: Any) -> None:
        raise ValueError(SECRET)

    with pytest.raises(ValueError, match=SECRET):
        await client(broken).send("GET", "/")
    found = last(caplog)
    assert (found["levelname"], found["status"], found["complete"]) == ("WARNING", None, False)


async def test_the_lifespan_is_no_request(caplog: pytest.LogCaptureFixture) -> None:
    async with lifespan(RequestLog(create_app(desk()))):
        pass
    assert not [line for line in caplog.records if line.getMessage() == "request"]
