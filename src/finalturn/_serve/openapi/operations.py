"""`Operation`: what the OpenAPI document says about each route: its name, its answers, its failures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from finalturn._serve.problems.failure import FailureCode

__all__ = ["OPERATIONS", "TAGS", "Operation"]

TAGS = {
    "chat": "Turns, whole or as a stream of records.",
    "sessions": "Conversations that the server keeps.",
    "front ends": "The same turns in the formats of other libraries.",
    "server": "The server itself.",
}

_JSON = "application/json"
_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A route.

    Attributes:
        id: what generated clients call it.
        tag: its group.
        summary: in a few words.
        description: what a developer of a client needs to know.
        schema: the component that it answers with; ``None`` for an answer without one.
        media: of the answer; ``None`` for one without a body, which is 204.
        answer: what the answer is, in words.
        codes: how it can fail, beside what every route can.
        session_codes: how it can fail, too, where the server keeps sessions.
        links: which routes go on with what it answers, as OpenAPI's links.
        run_id: whether the answer names its run in a header.
        open: whether it answers everybody, and cannot fail.
        begins_a_turn: whether the application may refuse it; see `DepsForRequest`.
    """

    id: str
    tag: Literal["chat", "sessions", "front ends", "server"]
    summary: str
    description: str = ""
    schema: str | None = None
    media: str | None = _JSON
    answer: str
    codes: tuple[FailureCode, ...] = ()
    session_codes: tuple[FailureCode, ...] = ()
    links: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    run_id: bool = False
    open: bool = False
    begins_a_turn: bool = False


_BODY: tuple[FailureCode, ...] = (
    "malformed_request",
    "body_too_large",
    "unsupported_media_type",
    "invalid_request",
    "overloaded",
    "shutting_down",
)
_OF_A_RUN: tuple[FailureCode, ...] = ("malformed_request", "not_found")
_STORE: tuple[FailureCode, ...] = ("malformed_request", "session_unavailable", "session_damaged")

_RUN = {"run_id": "$response.header.X-Run-Id"}
_RUN_OF_SESSION = {**_RUN, "session": "$request.body#/session"}

OPERATIONS: Mapping[tuple[str, str], Operation] = {
    ("post", "/v1/chat"): Operation(
        id="chat",
        tag="chat",
        summary="Run a turn",
        description="Answers when the turn has ended. When the client is gone before, the turn stops.",
        schema="ChatAnswer",
        answer="The turn's result.",
        codes=(*_BODY, "provider_failed", "script_over"),
        session_codes=(
            "session_busy",
            "session_conflict",
            "session_full",
            "session_unavailable",
            "session_damaged",
        ),
        links={
            "session": {"operationId": "readSession", "parameters": {"session": "$response.body#/session"}}
        },
        run_id=True,
        begins_a_turn=True,
    ),
    ("post", "/v1/chat/stream"): Operation(
        id="streamChat",
        tag="chat",
        summary="Run a turn as a stream",
        description="Answers with the turn's records as they come, as server-sent events. The data of each"
        " event is the JSON text of a `NativeRecord`: first `run`, at the end exactly one of `result` and"
        " `error`. Ignore records of a type that you do not know. When the connection is lost, and the server"
        " lets runs be resumed, go on with `resumeStream`; else the turn stops. With `Last-Event-ID`, no turn"
        " begins: the same request in the same session goes on with its turn, or is refused.",
        schema="NativeEvent",
        media=_STREAM,
        answer="The turn's records.",
        codes=(*_BODY, "records_gone"),
        session_codes=("session_busy",),
        links={
            "resume": {"operationId": "resumeStream", "parameters": _RUN},
            "resumeInSession": {"operationId": "resumeStream", "parameters": _RUN_OF_SESSION},
            "stop": {"operationId": "stopRun", "parameters": _RUN},
            "stopInSession": {"operationId": "stopRun", "parameters": _RUN_OF_SESSION},
        },
        run_id=True,
        begins_a_turn=True,
    ),
    ("get", "/v1/chat/stream/{run_id}"): Operation(
        id="resumeStream",
        tag="chat",
        summary="Go on with a stream",
        description="After a lost connection: answers with the records after the one that `Last-Event-ID`"
        " names: those that the client missed, and no other. Others may read the run too.",
        schema="NativeEvent",
        media=_STREAM,
        answer="The run's records after that one; none, when it was the last.",
        codes=(*_OF_A_RUN, "records_gone", "overloaded"),
        run_id=True,
    ),
    ("delete", "/v1/chat/stream/{run_id}"): Operation(
        id="stopRun",
        tag="chat",
        summary="Stop a turn",
        description="Nothing of the turn is saved, and its stream ends with an `error` record whose code is"
        " `stopped`. A turn that is being saved is saved whole, and its stream ends with its `result`. The"
        " run cannot be resumed any more.",
        media=None,
        answer="The turn does not go on.",
        codes=_OF_A_RUN,
    ),
    ("get", "/v1/sessions"): Operation(
        id="listSessions",
        tag="sessions",
        summary="List your sessions",
        schema="SessionPage",
        answer="A page of sessions, ordered by id.",
        codes=(*_STORE, "invalid_request"),
        links={"next": {"operationId": "listSessions", "parameters": {"after": "$response.body#/next"}}},
    ),
    ("get", "/v1/sessions/{session}"): Operation(
        id="readSession",
        tag="sessions",
        summary="Read a session",
        schema="SessionDocument",
        answer="The whole conversation.",
        codes=(*_STORE, "not_found"),
    ),
    ("delete", "/v1/sessions/{session}"): Operation(
        id="deleteSession",
        tag="sessions",
        summary="Delete a session",
        media=None,
        answer="It is gone.",
        codes=(*_STORE, "not_found", "session_busy"),
    ),
    ("post", "/ag-ui"): Operation(
        id="runAgUi",
        tag="front ends",
        summary="Run a turn for an AG-UI client",
        description="Takes a `RunAgentInput` and answers with events, as https://docs.ag-ui.com says.",
        media=_STREAM,
        answer="The turn's AG-UI events. The data of each is the JSON text of one.",
        codes=(*_BODY, "records_gone"),
        session_codes=("session_busy",),
        run_id=True,
        begins_a_turn=True,
    ),
    ("post", "/ai-sdk"): Operation(
        id="chatAiSdk",
        tag="front ends",
        summary="Run a turn for a client of the AI SDK",
        description="Takes what `useChat` sends, and answers in the UI message stream protocol, as"
        " https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol says.",
        media=_STREAM,
        answer="The turn's UI message chunks. The data of each event is the JSON text of one; that of the"
        " last is `[DONE]`.",
        codes=(*_BODY, "records_gone"),
        session_codes=("session_busy",),
        run_id=True,
        begins_a_turn=True,
    ),
    ("get", "/ai-sdk/{chat_id}/stream"): Operation(
        id="resumeAiSdk",
        tag="front ends",
        summary="Go on with the stream of a client of the AI SDK",
        description="What `useChat` asks for with `resume`.",
        media=_STREAM,
        answer="The UI message chunks of the turn that goes on, from its start.",
        codes=("malformed_request", "overloaded"),
        run_id=True,
    ),
    ("delete", "/ai-sdk/{chat_id}/stream"): Operation(
        id="stopAiSdk",
        tag="front ends",
        summary="Stop the turn of a chat of the AI SDK",
        description="Nothing of the turn is saved, unless it is being saved already. Where no turn goes on,"
        " nothing happens.",
        media=None,
        answer="No turn of the chat goes on.",
        codes=("malformed_request",),
    ),
    ("get", "/openapi.json"): Operation(
        id="getOpenApi",
        tag="server",
        summary="This document",
        schema="OpenApiDocument",
        answer="This document.",
    ),
    ("get", "/health"): Operation(
        id="getHealth",
        tag="server",
        summary="Whether a turn can be taken now",
        description="It asks where sessions are kept whether it answers. Needs no key.",
        schema="Health",
        answer="It can.",
        open=True,
    ),
    ("get", "/health/live"): Operation(
        id="getLiveness",
        tag="server",
        summary="Whether the process lives",
        description="Where it does not answer, the process is to be restarted. Needs no key.",
        schema="Liveness",
        answer="It does.",
        open=True,
    ),
}
"""By method and path."""
