"""A server with two owners, and all the ways into it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from finalturn import Agent
from finalturn._serve.access.keys import new_key
from finalturn.serve import ApiKeys, ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import desk
from tests.serve._asgi import Answer

ALICE_KEY, _ALICE_LINE = new_key("alice")
BOB_KEY, _BOB_LINE = new_key("bob")
KEYS = ApiKeys([_ALICE_LINE.split(), _BOB_LINE.split()])
ALICE, BOB = ({"authorization": f"Bearer {key}"} for key in (ALICE_KEY, BOB_KEY))
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")
OPEN_TO_ALL = {"/", "/health", "/health/live"}
"""What needs no key: the chat page, which holds nothing of anybody, and the health."""

JSON = {"content-type": "application/json"}


@dataclass(frozen=True)
class Surface:
    """A way to ask for a turn."""

    path: str
    session_field: str

    def body(self, text: str = "Hello", session: str = "s1", **more: Any) -> dict[str, Any]:
        """A request of one message."""
        message = {"id": "m1", "role": "user"}
        match self.path:
            case "/ag-ui":
                found: dict[str, Any] = {"runId": "r1", "messages": [message | {"content": text}]}
            case "/ai-sdk":
                parts = [{"type": "text", "text": text}]
                found = {"trigger": "submit-message", "messages": [message | {"parts": parts}]}
            case _:
                found = {"input": text}
        return found | {self.session_field: session} | more

    @property
    def streams(self) -> bool:
        """Whether the answer is a stream."""
        return self.path != "/v1/chat"


SURFACES = (
    Surface("/v1/chat", "session"),
    Surface("/v1/chat/stream", "session"),
    Surface("/ag-ui", "threadId"),
    Surface("/ai-sdk", "id"),
)


def server(agent: Agent[Any] | None = None, *, keys: ApiKeys | None = KEYS, **parts: Any) -> FastAPI:
    """An application that keeps sessions and runs."""
    parts.setdefault("sessions", InMemorySessions())
    parts.setdefault("config", ServeConfig(resume_for=60.0))
    return create_app(agent or desk(), keys=keys, **parts)


def routes_of(app: FastAPI) -> list[tuple[set[str], str]]:
    """The methods and the path of every route; parameters have values."""
    found = [(one.methods, one.path) for one in iter_route_contexts(app.routes)]
    assert {surface.path for surface in SURFACES} <= {path for _, path in found}, found
    # A route of another kind, such as a folder of files, would need a test of its own.
    return [(methods or set(), (path or "?").replace("{", "").replace("}", "")) for methods, path in found]


def problem(answer: Answer) -> tuple[int, str]:
    """The status and the code of a problem document."""
    assert answer.header("content-type") == "application/problem+json", (answer.status, answer.body)
    return answer.status, answer.json["code"]
