"""What a client over HTTP is told of what goes wrong: that it did, and nothing of what an exception says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pydantic import BaseModel, PrivateAttr, model_serializer

from finalturn import Message, ProviderError, Role, SessionError, StructuredOutputConfig, ToolError, tool
from finalturn._core.protocols import SessionHistory
from finalturn.contract import ERRORS_ARE_CLEAN, PREDICATE_ERRORS_PROPAGATE
from finalturn.providers import Scripted
from finalturn.serve import create_app
from finalturn.sessions import InMemorySessions
from tests.contract._http_drivers import HTTP_DRIVERS
from tests.contract._http_formats import PATHS, body_of
from tests.contract._http_view import HttpFailure
from tests.contract._logged import logged
from tests.contract._observed import Observed
from tests.contract._play import Play, agent_of
from tests.contract._proves import proves
from tests.contract._scenes import FINAL, PROSE, SENTINEL, Ticket
from tests.contract._served import Client, problem, run

OVER_HTTP = {"drivers": list(HTTP_DRIVERS)}
SECRET = f"{SENTINEL} /home/someone/.key sk-live-123"
"""What stands in exceptions, and must not reach a client."""

PARTS = (SENTINEL, "/home/someone", "sk-live", "Traceback", "site-packages", Path(__file__).name)


def assert_clean(told: str, log: Sequence[str] = ()) -> None:
    """Nothing that an exception says is in what a client is told, and no text of it in a log."""
    assert told
    assert [part for part in PARTS if part in told] == []
    assert [line for line in log if SENTINEL in line] == []


def assert_failed(observed: Observed, code: str, retryable: bool) -> None:
    """The turn has failed, for this reason; nothing of it is saved."""
    assert isinstance(observed.error, HttpFailure), observed.error
    assert (observed.error.code, observed.error.retryable) == (code, retryable)
    assert observed.results == []
    assert observed.saved == ()


def _raises(*given: Any) -> Any:
    raise LookupError(SECRET)


class Broken:
    """A store that cannot do one thing."""

    def __init__(self, what: str, error: Exception) -> None:
        self._what = what
        self._error = error
        self._store = InMemorySessions()

    def load(self, session: str, /) -> SessionHistory:
        if self._what == "load":
            raise self._error
        return self._store.load(session)

    def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        raise self._error


FAILURES: dict[str, tuple[dict[str, Any], str, bool]] = {
    "the predicate raises": (
        {"config": StructuredOutputConfig(final_turn_only=True, should_finalize=_raises)},
        "internal_error",
        False,
    ),
    "a context raises": ({"context": [_raises]}, "internal_error", False),
    "a system prompt raises": ({"system_prompt": _raises}, "internal_error", False),
    "the session cannot be read": (
        {"sessions": Broken("load", SessionError(SECRET))},
        "session_unavailable",
        True,
    ),
    "the turn cannot be saved": (
        {"sessions": Broken("append", SessionError(SECRET))},
        "session_unavailable",
        True,
    ),
    "the store breaks": ({"sessions": Broken("load", OSError(SECRET))}, "session_unavailable", True),
}


@proves(ERRORS_ARE_CLEAN, PREDICATE_ERRORS_PROPAGATE, **OVER_HTTP)
@pytest.mark.parametrize("name", FAILURES)
def test_a_client_is_told_nothing_of_an_exception(play: Play, name: str) -> None:
    own, code, retryable = FAILURES[name]
    parts: dict[str, Any] = {"response_format": Ticket, "config": FINAL, **own}
    with logged() as log:
        observed = play(PROSE, f'{{"topic": "{SENTINEL}", "urgent": true}}', **parts)
    assert_failed(observed, code, retryable)
    assert_clean(observed.wire, log)
    assert "LookupError" not in observed.wire


@proves(ERRORS_ARE_CLEAN, drivers=list(HTTP_DRIVERS), kinds=["streaming", "whole-reply", "sync-stream"])
@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (lambda: ProviderError(SECRET, status=503, retryable=True, code=SENTINEL), "provider_failed", True),
        (lambda: ProviderError(SECRET), "provider_failed", False),
        (lambda: RuntimeError(SECRET), "internal_error", False),
    ],
    ids=["retryable", "final", "unforeseen"],
)
def test_a_client_is_told_nothing_of_a_providers_exception(
    play: Play, error: Any, code: str, retryable: bool
) -> None:
    with logged() as log:
        observed = play([error()])
    assert_failed(observed, code, retryable)
    assert_clean(observed.wire, log)
    assert "503" not in observed.wire


@tool
def breaks() -> str:
    """Breaks."""
    raise ValueError(SECRET)


@tool
def explains() -> str:
    """Says what is wrong."""
    raise ToolError("the order is closed")


@proves(ERRORS_ARE_CLEAN, **OVER_HTTP)
def test_a_client_sees_that_a_tool_failed_and_only_a_tool_error_in_words(play: Play) -> None:
    calls = [Scripted.call("breaks"), Scripted.call("explains"), Scripted.call("breaks", {"x": SENTINEL[:4]})]
    observed = play(calls, PROSE, tools=[breaks, explains])
    told = [message.content for message in observed.result.messages if message.role is Role.TOOL]
    assert told == ["the tool failed", "the order is closed", "the arguments were not valid"]
    assert_clean(observed.wire)
    assert "ValueError" not in observed.wire
    # The model is told all of it.
    assert SENTINEL in observed.requests[1]


class Unwritable(BaseModel):
    """Something that cannot be written as JSON."""

    topic: str
    _seen: bool = PrivateAttr(default=False)

    @model_serializer
    def write(self) -> Any:
        raise ValueError(SECRET)


@proves(ERRORS_ARE_CLEAN, **OVER_HTTP)
def test_a_client_is_told_nothing_of_an_object_that_has_no_json(play: Play) -> None:
    with logged() as log:
        observed = play('{"topic": "t"}', response_format=Unwritable, config=FINAL)
    assert (observed.error, observed.result.structured_status) == (None, "ok")
    # The text is the answer's own, and the object's serialiser is not quoted.
    assert (observed.result.content, observed.result.parsed) == ('{"topic": "t"}', None)
    assert_clean(observed.wire, log)


@proves(ERRORS_ARE_CLEAN, drivers=["http-stream"], kinds=["streaming"])
def test_a_client_is_told_nothing_of_a_store_that_breaks(play: Play) -> None:
    for error in (SessionError(SECRET), RuntimeError(SECRET)):
        with play.model() as model, logged() as log:
            app = create_app(agent_of(model, sessions=Broken("load", error)))

            async def read(client: Client, log: list[str] = log) -> None:
                answer = await client.send("GET", "/v1/sessions/s")
                assert problem(answer)[0] in (500, 503)
                assert_clean(answer.body.decode(), log)

            run(play, app, read)


@proves(ERRORS_ARE_CLEAN, drivers=["http-stream"], kinds=["streaming"])
def test_a_client_is_told_nothing_of_a_fault_of_the_server_itself(play: Play) -> None:
    with play.model() as model, logged() as log:
        app = create_app(agent_of(model))

        async def stop(client: Client) -> None:
            with patch.object(app.state.finalturn, "find", side_effect=RuntimeError(SECRET)):
                answer = await client.send("DELETE", "/v1/chat/stream/run")
            assert problem(answer)[0] == 500
            assert_clean(answer.body.decode(), log)

        run(play, app, stop)


@proves(ERRORS_ARE_CLEAN, **OVER_HTTP)
def test_a_refused_request_is_not_quoted(play: Play) -> None:
    with play.model() as model, logged() as log:
        app = create_app(agent_of(model, sessions=InMemorySessions()))
        body = body_of(play.driver, [Message.user("Hello")], "s")

        async def ask(client: Client) -> None:
            bad = f"../{SENTINEL}"
            ids = dict.fromkeys({"session", "threadId", "id"} & body.keys(), bad)
            for wrong in ({**body, **ids}, {"input": bad * 9, "messages": bad}, [bad], bad):
                answer = await client.send("POST", PATHS[play.driver], wrong)
                assert problem(answer)[0] in (400, 422)
                assert_clean(answer.body.decode(), log)
            for target in (f"/v1/sessions/{SENTINEL}", f"/{SENTINEL}", f"/v1/sessions/..{SENTINEL}"):
                answer = await client.send("GET", target)
                assert problem(answer)[0] in (400, 404)
                assert_clean(answer.body.decode(), log)

        run(play, app, ask)
        assert list(model.requests) == []
