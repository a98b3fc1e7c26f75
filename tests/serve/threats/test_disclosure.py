"""What an answer, or a log, tells that it should not."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from finalturn import Agent, ProviderError, SessionError
from finalturn._core.messages import ToolCall
from finalturn._core.protocols import SessionHistory
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.serve._agents import SECRET, broken, desk, unlucky
from tests.serve._asgi import Client
from tests.serve.threats._server import ALICE, ALICE_KEY, SURFACES, Surface, problem, server

pytestmark = pytest.mark.anyio
every_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.path)

PATH = "/srv/app/secret.py"


def _provider_error() -> ProviderError:
    error = ProviderError(f"refused {SECRET} {PATH}", status=400, code=SECRET, retryable=True, detail=SECRET)
    error.__cause__ = RuntimeError(SECRET)
    return error


FAILURES: list[Callable[[], BaseException]] = [
    _provider_error,
    lambda: ValueError(f"{SECRET} at {PATH}"),
    lambda: KeyError(SECRET),
    lambda: FileNotFoundError(2, SECRET, PATH),
    lambda: SessionError(f"{SECRET} {PATH}"),
    lambda: ExceptionGroup(SECRET, [ValueError(SECRET)]),
    lambda: UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    lambda: RecursionError(SECRET),
]
CODES: dict[type[BaseException], tuple[str, int]] = {
    ProviderError: ("provider_failed", 502),
    SessionError: ("session_unavailable", 503),
}


class BrokenStore(InMemorySessions):
    """Fails with words that are not for clients."""

    def __init__(self, *, reads: bool) -> None:
        super().__init__()
        self._reads = reads

    def load(self, session: str, /) -> SessionHistory:
        if self._reads:
            raise SessionError(f"{SECRET} {PATH} {session}")
        return super().load(session)

    def append(self, *arguments: Any) -> None:
        raise RuntimeError(f"{SECRET} {PATH}")

    def delete(self, session: str, /) -> bool:
        raise OSError(5, SECRET, PATH)

    def list_sessions(self, *arguments: Any) -> Any:
        raise RuntimeError(f"{SECRET} {PATH}")


def clean(text: str | bytes) -> None:
    told = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    for hidden in (SECRET, SECRET[:9], PATH, "Traceback", "site-packages", __file__):
        assert hidden not in told


def clean_log(caplog: pytest.LogCaptureFixture) -> None:
    """A log may say where something failed, in this code; and nothing of what it failed with."""
    for hidden in (SECRET, SECRET[:9], PATH):
        assert hidden not in logged(caplog)


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """All that a log could hold: messages, tracebacks and extra fields."""
    return caplog.text + "".join(json.dumps(vars(one), default=repr) for one in caplog.records)


@every_surface
@pytest.mark.parametrize("words", [(), ("Some words. ",)], ids=["at-once", "in-the-middle"])
async def test_why_a_turn_failed_stays_on_the_server(
    surface: Surface, words: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    errors: list[BaseException] = [failure() for failure in FAILURES]
    client = Client(server(desk(*([*words, error] for error in errors))), ALICE)
    for error in errors:
        code, status = CODES.get(type(error), ("internal_error", 500))
        with caplog.at_level(logging.DEBUG):
            answer = await client.send("POST", surface.path, json=surface.body())
        clean(answer.body)
        clean(str(answer.headers))
        assert answer.body.count(f'"{code}"'.encode()) == 1, error
        assert answer.status == (200 if surface.streams else status)
    clean_log(caplog)


@every_surface
async def test_what_a_tool_fails_with_stays_on_the_server(
    surface: Surface, caplog: pytest.LogCaptureFixture
) -> None:
    calls = [
        Scripted.call("broken", {"number": "A-1"}),
        Scripted.call("unlucky", {"number": "A-2"}),
        Scripted.call("broken", f'{{"number": {SECRET}'),
        Scripted.call("unknown", {"number": "A-3"}),
    ]
    agent: Agent[None] = Agent(Scripted(calls, "Sorry."), tools=[broken, unlucky])
    client = Client(server(agent), ALICE)
    with caplog.at_level(logging.DEBUG):
        answer = await client.send("POST", surface.path, json=surface.body())
    read = await client.send("GET", "/v1/sessions/s1")
    assert (answer.status, read.status) == (200, 200)
    for body in (answer.body, read.body):
        clean(body)
        # A ToolError is for clients.
        assert b"There is no order A-2." in body and b"the tool failed" in body
    clean_log(caplog)


@every_surface
@pytest.mark.parametrize("reads", [True, False], ids=["reading", "saving"])
async def test_what_a_store_fails_with_stays_on_the_server(
    surface: Surface, reads: bool, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(server(sessions=BrokenStore(reads=reads)), ALICE)
    answers = [
        await client.send("POST", surface.path, json=surface.body()),
        await client.send("GET", "/v1/sessions"),
        await client.send("GET", "/v1/sessions/s1"),
        await client.send("DELETE", "/v1/sessions/s1"),
    ]
    assert b"internal_error" in answers[0].body or b"session_unavailable" in answers[0].body
    assert [problem(answer)[0] for answer in answers[1:]] == [500, 503 if reads else 404, 500]
    for answer in answers:
        clean(answer.body)
    clean_log(caplog)


@every_surface
async def test_an_answer_that_did_not_validate_stays_on_the_server(surface: Surface) -> None:
    agent = desk("Hello.", *[f'{{"topic": "{SECRET}"'] * 6)
    answer = await Client(server(agent), ALICE).send("POST", surface.path, json=surface.body())
    assert answer.status == 200 and b"validation_failed" in answer.body
    clean(answer.body)


@every_surface
async def test_a_log_holds_no_text_no_body_and_no_key(
    surface: Surface, caplog: pytest.LogCaptureFixture
) -> None:
    call = Scripted.call("lookup_order", {"number": "TOOL-SENTINEL"})
    agent = desk(
        [Scripted.reasoning("THOUGHT-SENTINEL"), "MODEL-SENTINEL", call], "MORE-SENTINEL", "{}", "{}", "{}"
    )
    client = Client(server(agent), {**ALICE, "cookie": "COOKIE-SENTINEL", "user-agent": "AGENT-SENTINEL"})
    with caplog.at_level(logging.DEBUG):
        sent = [
            surface.body("USER-SENTINEL"),
            surface.body("USER-SENTINEL", **{"FIELD-SENTINEL": "SENTINEL"}),
        ]
        for body in sent:
            await client.send("POST", f"{surface.path}?x=QUERY-SENTINEL", json=body)
        await client.send(
            "POST", surface.path, body=b"BROKEN-SENTINEL", headers={"content-type": "application/json"}
        )
        await Client(server(), {"authorization": "Bearer KEY-SENTINEL"}).send("GET", "/v1/sessions")
        # What asyncio logs of a lost task, it logs when that is collected.
        await asyncio.sleep(0)
    told = logged(caplog)
    assert "run completed" in told
    assert "SENTINEL" not in told and ALICE_KEY not in told


@every_surface
async def test_an_internal_name_of_a_call_stays_on_the_server(surface: Surface) -> None:
    """What a provider wants back with a tool call is no client's business."""
    call = ToolCall("lookup_order", {"number": "A-17"}, id="c1", provider_data={"signature": SECRET})
    client = Client(server(desk(["Let me look.", call], "Done.", '{"topic":"x","urgent":true}')), ALICE)
    answer = await client.send("POST", surface.path, json=surface.body())
    read = await client.send("GET", "/v1/sessions/s1")
    assert (answer.status, read.status) == (200, 200)
    clean(answer.body)
    clean(read.body)


async def test_a_problem_quotes_nothing_that_was_sent() -> None:
    client = Client(server(), ALICE)
    for surface in SURFACES:
        for body in (
            surface.body() | {surface.session_field: f"<script>{SECRET}</script>"},
            surface.body() | {"messages": [{"role": SECRET, "content": SECRET}], "input": [{"role": SECRET}]},
            surface.body() | {"messages": SECRET, "input": {"a": SECRET}},
        ):
            answer = await client.send("POST", surface.path, json=body)
            assert 400 <= answer.status < 500
            clean(answer.body)
    for target in (f"/{SECRET}", f"/v1/sessions/{SECRET}!", f"/v1/sessions?limit={SECRET}"):
        clean((await client.send("GET", target)).body)
