"""A server that runs, its log, and the browsers and pages that come to it."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from finalturn.testing import HttpAnswer, ScriptedServer
from tests.cli._serving import Serving, serving

pytestmark = pytest.mark.processes

EVIL = "https://evil.example"
APP = "https://app.example"
LINK = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


def chat(server: Serving) -> Any:
    """A stream of the AI SDK, whose first text has come."""
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
    body = {"id": "c1", "messages": [message], "trigger": "submit-message"}
    answer = server.ask("POST", "/ai-sdk", body)
    assert answer.status == 200
    while b"One" not in answer.readline():
        pass
    return answer


OTHER_PAGES: list[dict[str, str]] = [
    LINK,
    {**LINK, "Sec-Purpose": "prefetch"},
    {**LINK, "Sec-Fetch-Dest": "iframe"},
    {**LINK, "Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"},
    {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Referer": f"{EVIL}/page"},
]


def test_another_page_takes_no_stream_away(tmp_path: Path) -> None:
    with serving(tmp_path, "--resume-for", "60") as server:
        stream = chat(server)
        for headers in OTHER_PAGES:
            for path in ("/ai-sdk/c1/stream", "/v1/chat/stream/x", "/v1/sessions"):
                code = server.send("GET", path, headers=headers)[1]["code"]
                assert code == "forbidden_origin", (path, headers)
            for path in ("/ai-sdk", "/v1/chat"):
                form = {**headers, "Content-Type": "text/plain"}
                assert server.send("POST", path, {"input": "hi"}, headers=form)[0] == 403, (path, headers)
        assert server.ask("GET", "/", headers=LINK).status == 200
        server.go_on()
        assert b'"type":"finish"' in stream.read()


@pytest.fixture(scope="module")
def for_app(tmp_path_factory: pytest.TempPathFactory) -> Generator[Serving]:
    """A server that pages of an application may use."""
    with serving(tmp_path_factory.mktemp("for_app"), "--cors-origin", APP) as server:
        yield server


@pytest.mark.parametrize(
    "asked",
    [
        "user-agent",
        "authorization,content-type,last-event-id",
        "traceparent, tracestate,baggage,sentry-trace",
        "X-Requested-With,Cache-Control , USER-AGENT",
        "content-type,,x-datadog-trace-id",
    ],
)
def test_a_page_that_may_use_it_may_send_any_header(for_app: Serving, asked: str) -> None:
    preflight = {
        "Origin": APP,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": asked,
        "Access-Control-Request-Private-Network": "true",
    }
    answer = for_app.ask("OPTIONS", "/v1/chat", headers=preflight)
    assert answer.status == 200
    allowed = (answer.getheader("Access-Control-Allow-Headers") or "").lower()
    assert {one.strip().lower() for one in asked.split(",")} <= {one.strip() for one in allowed.split(",")}
    refused = for_app.ask("OPTIONS", "/v1/chat", headers={**preflight, "Origin": EVIL})
    assert refused.status == 403 and refused.getheader("Access-Control-Allow-Origin") is None


def test_the_headers_can_be_named(tmp_path: Path) -> None:
    preflight = {"Origin": APP, "Access-Control-Request-Method": "POST"}
    with serving(tmp_path, "--cors-origin", APP, "--cors-header", "X-Tenant") as server:
        for asked, status in (("x-tenant, user-agent, Content-Type", 200), ("x-other", 400)):
            headers = {**preflight, "Access-Control-Request-Headers": asked}
            assert server.ask("OPTIONS", "/v1/chat", headers=headers).status == status


ASKS = """
from finalturn import Agent
from finalturn.providers import OpenAIChat

agent = Agent(OpenAIChat("gpt-none", api_key="sk-SENTINEL-1", base_url=%r))
"""


def test_the_log_says_what_whoever_runs_it_can_mend(tmp_path: Path) -> None:
    refusal = {
        "error": {"code": "invalid_api_key", "message": "Incorrect API key: sk-SENTINEL-1. model text"}
    }
    with (
        ScriptedServer([HttpAnswer(401, json.dumps(refusal).encode())]) as vendor,
        serving(tmp_path, module=ASKS % vendor.url) as server,
    ):
        status, problem = server.send("POST", "/v1/chat", {"input": "hi"})
        assert (status, problem["code"]) == (502, "provider_failed")
        server.signal(signal.SIGTERM)
        log = server.log_to_end()
    (failed,) = [one for one in log if one["message"] == "run failed"]
    assert failed["reason"] == "the provider answered with status 401: the key is missing or wrong"
    assert (failed["status"], failed["vendor_code"]) == (401, "invalid_api_key")
    assert "SENTINEL" not in json.dumps(log) and "model text" not in json.dumps(log)


def test_the_log_says_what_the_database_said(tmp_path: Path) -> None:
    with serving(tmp_path, "--sessions", "kept.db") as server:
        stream = server.stream()
        with closing(sqlite3.connect(tmp_path / "kept.db")) as other, other:
            for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                other.execute(f'DROP TABLE "{name}"')
        server.go_on()
        stream.read()
        assert server.send("GET", "/v1/sessions/s1")[0] in (500, 503)
        server.signal(signal.SIGTERM)
        log = server.log_to_end()
    failed = [one for one in log if one["message"] in ("run failed", "request failed")]
    assert len(failed) == 2
    assert all(one["reason"] and one["cause_code"] == "SQLITE_ERROR" for one in failed)


LOGINS = """
import contextlib, socket, sys
import uvicorn
from fastapi import FastAPI
from urllib.parse import unquote
from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.serve import create_router
from finalturn.sessions import SQLSessions

app = FastAPI()
who = lambda request: unquote(request.headers["x-user"])
agent = Agent(Scripted(then="Hi."), sessions=SQLSessions("kept.db"))
app.include_router(create_router(agent, authenticate=who))
listener = socket.create_server(("127.0.0.1", 0))
print(f"Open http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])
"""


def test_names_of_identity_providers_are_owners(tmp_path: Path) -> None:
    names = [
        "auth0|1",
        "auth0",
        "https://id.example/u/1",
        "ann+b@example.com",
        "\u00e9",
        "e\u0301",
        "a:b",
        "a",
    ]
    names += ["x" * 300, "--auth0.7c1", "."]
    with serving(tmp_path, module=LOGINS) as server:
        for number, name in enumerate(names):
            headers = {"X-User": quote(name, safe="")}
            for _ in range(number + 1):
                assert (
                    server.send("POST", "/v1/chat", {"input": name, "session": "s"}, headers=headers)[0]
                    == 200
                )
        for number, name in enumerate(names):
            headers = {"X-User": quote(name, safe="")}
            _, page = server.send("GET", "/v1/sessions", headers=headers)
            assert [(one["session"], one["version"]) for one in page["sessions"]] == [("s", number + 1)]
            _, found = server.send("GET", "/v1/sessions/s", headers=headers)
            assert {one["content"] for one in found["messages"] if one["role"] == "user"} == {name}
