"""Somebody without a key."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.requests import Request

from finalturn.serve import create_router
from finalturn.sessions import InMemorySessions
from tests.serve._agents import desk
from tests.serve._asgi import Client
from tests.serve.threats._server import (
    ALICE,
    ALICE_KEY,
    BOB_KEY,
    JSON,
    METHODS,
    OPEN_TO_ALL,
    SURFACES,
    problem,
    routes_of,
    server,
)

pytestmark = pytest.mark.anyio


def _refused_values() -> list[str | bytes]:
    digest = hashlib.sha256(ALICE_KEY.encode()).hexdigest()
    return [
        "",
        "Bearer",
        "Bearer ",
        b"Bearer caf\xe9",
        b"Bearer \xff\x00",
        f"Bearer {ALICE_KEY[:-1]}",
        f"Bearer {ALICE_KEY}x",
        f"Bearer {ALICE_KEY}, Bearer {BOB_KEY}",
        f"Bearer {ALICE_KEY} {BOB_KEY}",
        f"Bearer sha256:{digest}",
        f"Bearer {digest}",
        "Bearer alice",
        f"Basic {ALICE_KEY}",
        "Bearer " + "x" * 50_000,
        ALICE_KEY,
    ]


async def test_no_route_but_health_and_the_page_answers_without_a_key() -> None:
    app = server()
    client = Client(app)
    routes = [(methods, path) for methods, path in routes_of(app) if path not in OPEN_TO_ALL]
    offered = {(method, path) for methods, path in routes for method in methods}
    for path in {path for _, path in routes}:
        for method in METHODS:
            answer = await client.send(method, path, body=b"{}", headers=JSON)
            if (method, path) in offered:
                assert problem(answer) == (401, "unauthorized"), (method, path)
                assert answer.header("www-authenticate") == "Bearer"
            else:
                assert problem(answer) == (405, "method_not_allowed"), (method, path)
    assert {("POST", surface.path) for surface in SURFACES} <= offered


async def test_a_path_that_is_not_there_tells_nothing() -> None:
    app = server()
    for path in (
        "/nowhere",
        "/v1",
        "/v1/chat/",
        "/v1/chat/stream/x/y",
        "/docs",
        "/redoc",
        "//v1/chat",
        "/V1/CHAT",
    ):
        answers = [await Client(app, headers).send("GET", path) for headers in ({}, ALICE)]
        assert [problem(answer) for answer in answers] == [(404, "not_found")] * 2, path
        assert answers[0].body == answers[1].body


async def test_a_malformed_or_unknown_key_is_401() -> None:
    app = server()
    for value in _refused_values():
        client = Client(app, {"authorization": value})
        for method, path in (("POST", "/v1/chat"), ("GET", "/v1/sessions"), ("GET", "/v1/chat/stream/x")):
            answer = await client.send(method, path, body=b"{}", headers=JSON)
            assert problem(answer) == (401, "unauthorized"), value
            assert answer.header("www-authenticate") == "Bearer"


async def test_the_scheme_is_taken_in_any_case() -> None:
    app = server()
    for value in (f"bearer {ALICE_KEY}", f"BEARER   {ALICE_KEY}"):
        answer = await Client(app, {"authorization": value}).send("GET", "/v1/sessions")
        assert answer.status == 200


async def test_a_key_stands_in_no_url_and_no_other_header() -> None:
    client = Client(server())
    headers = {"x-api-key": ALICE_KEY, "cookie": f"authorization=Bearer {ALICE_KEY}; key={ALICE_KEY}"}
    for surface in SURFACES:
        target = f"{surface.path}?access_token={ALICE_KEY}&key={ALICE_KEY}&authorization=Bearer%20{ALICE_KEY}"
        answer = await client.send("POST", target, json=surface.body(), headers=headers)
        assert problem(answer) == (401, "unauthorized")


async def test_nothing_of_a_body_is_read_before_the_key() -> None:
    read: list[str] = []

    async def receive() -> dict[str, Any]:
        read.append("read")
        return {"type": "http.disconnect"}

    statuses: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    app = server()
    for surface in SURFACES:
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": surface.path,
            "raw_path": surface.path.encode(),
            "query_string": b"",
            "root_path": "",
            "headers": [(b"content-type", b"application/json"), (b"content-length", b"100")],
        }
        await app(scope, receive, send)
    assert (statuses, read) == ([401] * len(SURFACES), [])


@pytest.mark.parametrize(
    "answer", [KeyError(ALICE_KEY), "x" * 2000, b"alice", "", True, 0, ["alice"]], ids=range(7)
)
async def test_an_authenticate_that_fails_lets_nobody_in(
    answer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def authenticate(request: Request) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    app = FastAPI()
    sessions = InMemorySessions()
    app.include_router(create_router(desk(), authenticate=authenticate, sessions=sessions))
    for surface in SURFACES:
        found = await Client(app).send("POST", surface.path, json=surface.body())
        assert problem(found) == (500, "internal_error")
        assert ALICE_KEY.encode() not in found.body
    assert "authenticate" in caplog.text and ALICE_KEY not in caplog.text
    assert sessions.list_sessions("", "", 10) == []
