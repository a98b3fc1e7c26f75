"""Schemathesis reads the OpenAPI document, and finds nothing that the server does otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from finalturn._serve.openapi.operations import OPERATIONS
from finalturn.serve import ApiKeys, ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.api._attack import Seen, attack, served
from tests.api._served import agent

pytestmark = pytest.mark.api

PATHS = {path for _, path in OPERATIONS}
STATELESS = {
    ("POST", "/v1/chat"),
    ("POST", "/v1/chat/stream"),
    ("POST", "/ag-ui"),
    ("POST", "/ai-sdk"),
    ("GET", "/ai-sdk/{chat_id}/stream"),
    ("GET", "/openapi.json"),
    ("GET", "/health"),
    ("GET", "/health/live"),
}
RUNS = {("GET", "/v1/chat/stream/{run_id}"), ("DELETE", "/v1/chat/stream/{run_id}")}
SESSIONS = {
    ("GET", "/v1/sessions"),
    ("GET", "/v1/sessions/{session}"),
    ("DELETE", "/v1/sessions/{session}"),
}
KEY = "finalturn_a-key-of-the-test"


def keys() -> ApiKeys:
    return ApiKeys([("alice", "sha256:" + hashlib.sha256(KEY.encode()).hexdigest())])


@pytest.mark.parametrize("keyed", [False, True], ids=["open", "keyed"])
def test_with_sessions_and_resume(schemathesis: str, tmp_path: Path, keyed: bool) -> None:
    app = create_app(
        agent(InMemorySessions()), keys=keys() if keyed else None, config=ServeConfig(resume_for=60)
    )
    wanted = STATELESS | RUNS | SESSIONS
    found = attacked(schemathesis, app, tmp_path, *_header(keyed), wanted=wanted)
    assert succeeded(found) >= wanted
    assert any(status == 401 for _, _, status in found) == keyed


@pytest.mark.parametrize("keyed", [False, True], ids=["open", "keyed"])
def test_without_sessions_and_resume(schemathesis: str, tmp_path: Path, keyed: bool) -> None:
    app = create_app(agent(None), keys=keys() if keyed else None)
    found = attacked(schemathesis, app, tmp_path, *_header(keyed), wanted=STATELESS)
    assert succeeded(found) >= STATELESS


def test_what_the_document_does_not_say_is_found(schemathesis: str, tmp_path: Path) -> None:
    with served(Teapot(create_app(agent(None)))) as url:
        done = attack(schemathesis, url, "--phases=fuzzing", "--max-examples=5", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "Undocumented status code" in done.stdout


def attacked(
    command: str, app: ASGIApp, folder: Path, *more: str, wanted: set[tuple[str, str]]
) -> set[tuple[str, str, int]]:
    """Attack it, and find nothing; returns what was answered to what.

    The steps that follow each other depend on the ids of runs, which differ each time. They are taken again,
    a few times at most, until all that is wanted has succeeded.
    """
    seen = Seen(app, PATHS)
    steps = ("stateful", {"FINALTURN_WITHOUT_LAST_EVENT_ID": "1"})
    stepped = False
    with served(seen) as url:
        for phases, env in (("examples,coverage,fuzzing", dict[str, str]()), *[steps] * 6):
            if stepped and succeeded(seen.answers) >= wanted:
                break
            done = attack(command, url, f"--phases={phases}", *more, folder=folder, **env)
            assert done.returncode == 0, done.stdout + done.stderr
            stepped = phases == "stateful"
    return set(seen.answers)


def succeeded(answers: Iterable[tuple[str, str, int]]) -> set[tuple[str, str]]:
    return {(method, path) for method, path, status in answers if status < 300}


def _header(keyed: bool) -> tuple[str, ...]:
    return ("--header", f"Authorization: Bearer {KEY}") if keyed else ()


class Teapot:
    """Answers with a status that is in no document, where it would refuse."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def change(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and message["status"] == 422:
                message["status"] = 418
            await send(message)

        await self._app(scope, receive, change)
