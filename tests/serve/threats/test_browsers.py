"""Other web pages in the browser of somebody who uses the server."""

from __future__ import annotations

import pytest

from finalturn import ConfigurationError
from tests.serve._agents import desk
from tests.serve._asgi import Answer, Client
from tests.serve.threats._server import ALICE, SURFACES, problem, server

pytestmark = pytest.mark.anyio

APP = "https://app.example"
EVIL = "https://evil.example"
PREFLIGHT = {
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type,last-event-id",
}


def cors_headers(answer: Answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers if name.startswith("access-control-")}


async def test_without_origins_no_other_page_may_read_an_answer() -> None:
    for keys in (True, False):
        app = server() if keys else server(keys=None)
        client = Client(app, {**ALICE, "origin": EVIL})
        for surface in SURFACES:
            preflight = await client.send("OPTIONS", surface.path, headers=PREFLIGHT)
            assert problem(preflight) == ((405, "method_not_allowed") if keys else (403, "forbidden_origin"))
            answer = await client.send("POST", surface.path, json=surface.body())
            assert answer.status == (200 if keys else 403)
            assert cors_headers(preflight) == cors_headers(answer) == {}
        for path in ("/health", "/v1/sessions", "/nowhere"):
            assert cors_headers(await client.send("GET", path)) == {}


async def test_with_origins_these_alone_may() -> None:
    for app in (server(cors_origins=[APP]), server(keys=None, cors_origins=[APP])):
        for surface in SURFACES:
            good = await Client(app, {"origin": APP}).send("OPTIONS", surface.path, headers=PREFLIGHT)
            assert good.status == 200
            assert good.header("access-control-allow-origin") == APP
            assert good.header("access-control-allow-credentials") is None
            allowed = {
                word.strip().lower()
                for word in (good.header("access-control-allow-headers") or "").split(",")
            }
            assert {"authorization", "content-type", "last-event-id"} <= allowed
            answer = await Client(app, {**ALICE, "origin": APP}).send(
                "POST", surface.path, json=surface.body()
            )
            assert answer.status == 200 and answer.header("access-control-allow-origin") == APP
            assert "x-run-id" in (answer.header("access-control-expose-headers") or "").lower()
            assert "origin" in (answer.header("vary") or "").lower()
            for origin in (EVIL, "null", f"{APP}.evil.example", "http://app.example", f"{APP}:444"):
                for method, headers in (("OPTIONS", PREFLIGHT), ("POST", {})):
                    bad = await Client(app, {**ALICE, "origin": origin}).send(
                        method, surface.path, json=surface.body(), headers=headers
                    )
                    assert bad.header("access-control-allow-origin") is None


@pytest.mark.parametrize("origin", ["*", "null", "app.example", f"{APP}/", f"{APP}/chat"])
async def test_an_origin_that_stands_for_any_page_is_refused(origin: str) -> None:
    with pytest.raises(ConfigurationError, match="cors_origins"):
        server(cors_origins=[origin])


@pytest.mark.parametrize("host", ["evil.example:8000", "localhost.evil.example", "169.254.169.254", ""])
async def test_a_name_that_is_rebound_to_this_machine_is_403(host: str) -> None:
    client = Client(server(keys=None), {"host": host})
    for method, path in (("GET", "/"), ("GET", "/health"), ("GET", "/v1/sessions"), ("GET", "/nowhere")):
        assert problem(await client.send(method, path)) == (403, "forbidden_origin")
    for surface in SURFACES:
        assert problem(await client.send("POST", surface.path, json=surface.body()))[0] == 403


async def test_another_page_starts_no_turn_on_a_server_without_keys() -> None:
    agent = desk()
    client = Client(server(agent, keys=None))
    for surface in SURFACES:
        for headers in ({"origin": EVIL}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
            answer = await client.send("POST", surface.path, json=surface.body(), headers=headers)
            assert problem(answer) == (403, "forbidden_origin")
            assert cors_headers(answer) == {}
    own = {"origin": "http://localhost:8000", "sec-fetch-site": "same-origin"}
    answer = await client.send("POST", "/v1/chat", json={"input": "Hello"}, headers=own)
    assert answer.status == 200 and answer.json["result"]["model_calls"] == 3


async def test_every_answer_tells_browsers_to_be_careful() -> None:
    for app in (server(), server(keys=None)):
        client = Client(app, ALICE)
        answers = [
            await client.send("GET", path)
            for path in ("/", "/health", "/openapi.json", "/v1/sessions", "/v1/sessions/x", "/nowhere")
        ]
        answers += [await client.send("POST", one.path, json=one.body()) for one in SURFACES]
        answers += [await client.send("POST", one.path, json={}) for one in SURFACES]
        answers.append(await Client(app, {"host": "evil.example"}).send("GET", "/v1/sessions"))
        for answer in answers:
            assert answer.header("x-content-type-options") == "nosniff"
            assert answer.header("referrer-policy") == "no-referrer"
            assert answer.header("x-frame-options") == "DENY"
            assert answer.header("cross-origin-resource-policy") == "same-origin"
            assert answer.header("server") is None and answer.header("set-cookie") is None
            if "json" in (answer.header("content-type") or ""):
                assert answer.header("cache-control") == "no-store"
            elif "event-stream" in (answer.header("content-type") or ""):
                assert "no-cache" in (answer.header("cache-control") or "")


async def test_the_page_runs_its_own_scripts_alone() -> None:
    for app in (server(), server(keys=None)):
        policy = (await Client(app).send("GET", "/")).header("content-security-policy") or ""
        rules = {words[0]: words[1:] for words in map(str.split, policy.split(";")) if words}
        assert rules.get("default-src") == ["'none'"]
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "https:", "data:"} & set(
            rules.get("script-src", [])
        )
        assert set(rules.get("connect-src", [])) <= {"'self'"}
        assert rules.get("frame-ancestors") == ["'none'"] and rules.get("base-uri") == ["'none'"]
