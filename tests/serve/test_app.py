from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from finalturn import ConfigurationError
from finalturn._serve.access.keys import new_key
from finalturn._serve.app import SecurityHeaders
from finalturn.serve import ApiKeys, ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import plain
from tests.serve._asgi import Answer, Client

pytestmark = pytest.mark.anyio


async def test_what_no_route_takes() -> None:
    client = Client(create_app(plain(sessions=InMemorySessions())))
    missing = await client.send("GET", "/nope")
    assert (missing.status, missing.json["code"]) == (404, "not_found")
    wrong = await client.send("PUT", "/v1/sessions/s")
    assert (wrong.status, wrong.json["code"]) == (405, "method_not_allowed")
    assert wrong.header("allow") == "DELETE, GET"


@pytest.mark.parametrize(("seconds", "allowed"), [(0.0, "DELETE"), (5.0, "DELETE, GET")])
async def test_what_the_document_does_not_offer_is_not_allowed(seconds: float, allowed: str) -> None:
    client = Client(create_app(plain(), config=ServeConfig(resume_for=seconds)))
    assert (await client.send("OPTIONS", "/v1/chat/stream/x")).header("allow") == allowed
    assert (await client.send("GET", "/v1/chat/stream/x")).status == 404


async def test_the_page_and_the_document() -> None:
    client = Client(create_app(plain()))
    page = await client.send("GET", "/")
    assert (page.status, page.header("content-type")) == (200, "text/html; charset=utf-8")
    document = await client.send("GET", "/openapi.json")
    assert document.json["openapi"].startswith("3.1")
    assert "/v1/chat/stream" in document.json["paths"]


async def test_a_load_balancer_may_ask_with_head() -> None:
    client = Client(create_app(plain()))
    assert (await client.send("HEAD", "/health")).status == 200
    assert (await client.send("HEAD", "/")).status == 200


async def test_without_keys_only_this_machine_is_answered() -> None:
    client = Client(create_app(plain()), {"host": "finalturn.example"})
    assert (await client.send("GET", "/health")).status == 403


async def test_with_keys() -> None:
    key, entry = new_key("ann")
    client = Client(create_app(plain(), keys=ApiKeys([entry.split()])), {"host": "finalturn.example"})
    assert (await client.send("GET", "/health")).status == 200
    assert (await client.send("POST", "/v1/chat", json={"input": "Hello"})).status == 401
    answer = await client.send(
        "POST", "/v1/chat", json={"input": "Hello"}, headers={"authorization": f"Bearer {key}"}
    )
    assert answer.status == 200


async def test_other_web_pages_are_let_in_by_name_only() -> None:
    origin = "https://app.example.com"
    headers = {"origin": origin, "access-control-request-method": "POST"}
    closed = await Client(create_app(plain())).send("OPTIONS", "/v1/chat", headers=headers)
    assert closed.header("access-control-allow-origin") is None
    app = create_app(plain(), cors_origins=[origin])
    opened = await Client(app).send("OPTIONS", "/v1/chat", headers=headers)
    assert (opened.status, opened.header("access-control-allow-origin")) == (200, origin)
    answer = await Client(app, {"origin": origin}).send("POST", "/v1/chat", json={"input": "Hello"})
    assert (answer.status, answer.header("access-control-expose-headers")) == (200, "X-Run-Id")


async def test_an_origin_that_no_browser_sends() -> None:
    with pytest.raises(ConfigurationError, match="cors_origins"):
        create_app(plain(), cors_origins=["*"])


async def test_every_answer_tells_browsers_to_be_careful() -> None:
    answer = await Client(create_app(plain())).send("GET", "/nope")
    assert answer.header("x-content-type-options") == "nosniff"


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
