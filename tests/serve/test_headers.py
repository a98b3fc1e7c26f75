"""The headers of every answer."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from finalturn._serve.headers import SecurityHeaders
from tests.serve._asgi import Answer, Client


def answer(response: Response, *, cors: bool = False) -> Answer:
    async def fetch() -> Answer:
        return await Client(SecurityHeaders(response, cors=cors)).send("GET", "/")

    return asyncio.run(fetch())


def test_what_browsers_are_told() -> None:
    found = answer(Response(b"x", media_type="text/plain"))
    assert found.body == b"x"
    assert found.header("x-content-type-options") == "nosniff"
    assert found.header("referrer-policy") == "no-referrer"
    assert found.header("x-frame-options") == "DENY"
    assert found.header("cross-origin-resource-policy") == "same-origin"
    assert found.header("cache-control") is None


def test_other_pages_can_load_it_where_they_may_use_it() -> None:
    assert answer(Response(), cors=True).header("cross-origin-resource-policy") is None


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("application/json", False),
        ("Application/JSON ; charset=utf-8", False),
        ("application/problem+json", False),
        ("application/jsonp", True),
        ("text/event-stream", True),
    ],
)
def test_no_cache_keeps_json(kind: str, stored: bool) -> None:
    found = answer(Response(headers={"content-type": kind}))
    assert found.header("cache-control") == (None if stored else "no-store")


def test_what_an_answer_says_itself_stays_and_is_said_once() -> None:
    said = {"Cache-Control": "max-age=60", "Referrer-Policy": "origin", "X-Frame-Options": "SAMEORIGIN"}
    found = answer(Response(headers={"content-type": "application/json", **said}))
    for name, value in said.items():
        assert [value for header, value in found.headers if header == name.lower()] == [value]


def test_other_scopes_are_handed_on() -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])
        await send({"type": "lifespan.startup.complete"})

    async def receive() -> MutableMapping[str, Any]:
        raise AssertionError

    async def send(message: MutableMapping[str, Any]) -> None:
        seen.append(message["type"])

    asyncio.run(SecurityHeaders(app)({"type": "lifespan"}, receive, send))
    assert seen == ["lifespan", "lifespan.startup.complete"]
