"""`create_app`: a FastAPI application that serves an agent, with CORS, security headers and a request log."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from typing import Any, TypeVar, overload

from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from finalturn._agent import Agent
from finalturn._core.protocols import SessionStore
from finalturn._serve.access.guard import Guard
from finalturn._serve.access.keys import ApiKeys
from finalturn._serve.access.origins import check_cors_headers, check_origins
from finalturn._serve.config import ServeConfig
from finalturn._serve.logs.requests import RequestLog
from finalturn._serve.per_request.agents import AgentForRequest
from finalturn._serve.per_request.deps import DepsForRequest
from finalturn._serve.problems.exceptions import problem_of
from finalturn._serve.problems.problem import problem_response
from finalturn._serve.router import RUNS_PATH, routers_of
from finalturn._serve.served import Served
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

__all__ = ["SecurityHeaders", "create_app"]


DepsT = TypeVar("DepsT")

# A page on the web that may use a server on a local network: some versions of Chrome ask for that too
# (https://wicg.github.io/private-network-access/#http-headerdef-access-control-request-private-network).
# Older versions of Starlette know nothing of it, and let it pass.
_PRIVATE_NETWORK: dict[str, Any] = (
    {"allow_private_network": True} if "allow_private_network" in signature(CORSMiddleware).parameters else {}
)


@overload
def create_app(
    agent: Agent[Any, None],
    *,
    agent_for: AgentForRequest[None] | None = None,
    keys: ApiKeys | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
    cors_origins: Sequence[str] = (),
    cors_headers: Sequence[str] = ("*",),
) -> FastAPI: ...


@overload
def create_app(
    agent: Agent[Any, DepsT],
    *,
    deps: DepsForRequest[DepsT],
    agent_for: AgentForRequest[DepsT] | None = None,
    keys: ApiKeys | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
    cors_origins: Sequence[str] = (),
    cors_headers: Sequence[str] = ("*",),
) -> FastAPI: ...


@beta(since=NEXT)
@known_keywords("create_app")
def create_app(
    agent: Agent[Any, Any],
    *,
    deps: DepsForRequest[Any] | None = None,
    agent_for: AgentForRequest[Any] | None = None,
    keys: ApiKeys | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
    cors_origins: Sequence[str] = (),
    cors_headers: Sequence[str] = ("*",),
) -> FastAPI:
    """An application that serves an agent: what ``finalturn serve`` runs.

    Args:
        agent: runs the turns; its response_format is what each ends in.
        deps: gives what a turn is run with; for an agent with a ``deps_type``.
        agent_for: gives the agent of a turn, such as one for each tenant, in place of ``agent``, whose
            response_format and deps_type it has.
        keys: who may use it. ``None`` is for this machine alone: only requests to a loopback host are
            answered.
        sessions: where conversations are kept; ``None`` for the agent's own store, if it has one.
        config: limits.
        cors_origins: web pages of these origins may use it, such as ``"https://app.example.com"``.
        cors_headers: the headers that these pages may send beside User-Agent and those that the server reads,
            such as ``"traceparent"``; ``"*"`` for any. Headers that the server does not read do nothing.

    Raises:
        ConfigurationError: something in it cannot work; the message says what to do.

    Contract:
        - `sse-grammar` (beta): A native stream MUST be one `run` record, then one for each thing that the
          turn shows, then exactly one `result` or `error`, each record a whole event on one line of data; a
          stream of another format has one beginning and one end likewise.
        - `auth-fails-closed` (beta): With keys, no route but the health check MUST answer a request that has
          not exactly one valid key: a missing, malformed or unknown one is 401, before anything else of the
          request is looked at.
        - `user-input-only` (beta): From a client nothing MUST reach the model but what its user says, and,
          where the request has no session, what the assistant said before; SYSTEM and TOOL messages, tools
          and schemas of a client do not.
        - `resume-is-exact` (beta): A client that comes back to a run MUST get exactly the records after the
          last one that it has, none missing and none twice, or an answer that says that they are not kept any
          more.
    """
    served = Served(agent, sessions, config, deps, agent_for)
    origins = check_origins(cors_origins)
    headers = check_cors_headers(cors_headers)
    app = FastAPI(title="finalturn", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.include_router(routers_of(served, keys))
    app.add_exception_handler(HTTPException, _problem)
    if origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=headers,
            expose_headers=["X-Run-Id"],
            **_PRIVATE_NETWORK,
        )
    if keys is None:
        app.add_middleware(Guard, origins=origins)
    app.add_middleware(SecurityHeaders, cors=bool(origins))
    app.add_middleware(RequestLog)
    app.state.finalturn = served
    return app


async def _problem(request: Request, error: Exception) -> Response:
    """Answer what no route takes."""
    problem = problem_of(error)
    if problem.code == "method_not_allowed":
        problem.headers = {"Allow": ", ".join(_methods(request))}
    return problem_response(problem)


def _methods(request: Request) -> list[str]:
    """The path's methods, as the document has them: the exception knows those of its first route only."""
    routes = request.app.routes
    served: Served = request.app.state.finalturn
    hidden = request.scope["path"].startswith(RUNS_PATH) and not served.runs.can_resume
    return [
        method
        for method in ("DELETE", *(() if hidden else ("GET",)), "POST")
        if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)
    ]


class SecurityHeaders:
    """ASGI middleware that tells browsers to be careful with an answer. Headers that it has already stay.

    Args:
        app: what answers.
        cors: whether other web pages may use the server.
    """

    def __init__(self, app: ASGIApp, *, cors: bool = False) -> None:
        self._app = app
        self._headers = {
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "X-Frame-Options": "DENY",
            **({} if cors else {"Cross-Origin-Resource-Policy": "same-origin"}),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the headers."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _add_headers(self, headers: MutableHeaders) -> None:
        for name, value in self._headers.items():
            headers.setdefault(name, value)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or kind.endswith("+json"):
            # Conversations stay out of caches.
            headers.setdefault("Cache-Control", "no-store")
