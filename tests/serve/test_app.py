from __future__ import annotations

import pytest

from finalturn import ConfigurationError
from finalturn._serve.access.keys import new_key
from finalturn.serve import ApiKeys, ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import plain
from tests.serve._asgi import Client

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
