"""`create_router`: all routes of a served agent, and those of native turns themselves."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar, overload

from fastapi import APIRouter, Depends, Path, Query, Security
from fastapi.security import HTTPBearer
from starlette.requests import Request
from starlette.responses import Response

from finalturn._agent import Agent
from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.protocols import SessionStore
from finalturn._serve.access.authenticate import Authenticate
from finalturn._serve.access.owners import SESSION_PATTERN, check_client_session
from finalturn._serve.config import ServeConfig
from finalturn._serve.formats.native import Native
from finalturn._serve.formats.schemas_answers import ChatAnswer
from finalturn._serve.front_end_routes import FrontEndRoutes
from finalturn._serve.health import HealthRoutes
from finalturn._serve.openapi.document import PROBLEMS, STREAM, OpenApiRoute
from finalturn._serve.page import ChatPage, PageRoute
from finalturn._serve.per_request.agents import AgentForRequest
from finalturn._serve.per_request.deps import DepsForRequest
from finalturn._serve.requests.native import ChatRequest, read_chat
from finalturn._serve.requests.route import owner, refuse_navigation, route_class
from finalturn._serve.runs.last_event import LastEventId, LastEventIdOfPost, number_of
from finalturn._serve.runs.response import RunResponse
from finalturn._serve.runs.whole import OutcomeOnly, WholeResponse
from finalturn._serve.served import Served
from finalturn._serve.session_routes import SessionRoutes
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

__all__ = ["RUNS_PATH", "create_router", "routers_of"]

DepsT = TypeVar("DepsT")

RUNS_PATH = "/v1/chat/stream/"
"""Each run has an address below it. It can be read, with the same 404 for all, where none can be resumed."""

Owner = Annotated[str | None, Depends(owner)]
RunId = Annotated[str, Path(description="The run's id, from its `run` record or the X-Run-Id header.")]
Session = Annotated[
    str | None,
    Query(
        description="The session that the run was started in, if any.",
        json_schema_extra={"pattern": SESSION_PATTERN},
    ),
]


@overload
def create_router(
    agent: Agent[Any, None],
    *,
    authenticate: Authenticate | None,
    agent_for: AgentForRequest[None] | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
) -> APIRouter: ...


@overload
def create_router(
    agent: Agent[Any, DepsT],
    *,
    authenticate: Authenticate | None,
    deps: DepsForRequest[DepsT],
    agent_for: AgentForRequest[DepsT] | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
) -> APIRouter: ...


@beta(since=NEXT)
@known_keywords("create_router")
def create_router(
    agent: Agent[Any, Any],
    *,
    authenticate: Authenticate | None,
    deps: DepsForRequest[Any] | None = None,
    agent_for: AgentForRequest[Any] | None = None,
    sessions: SessionStore | None = None,
    config: ServeConfig = ServeConfig(),  # noqa: B008  # immutable
) -> APIRouter:
    """The routes of a served agent, to be included in an application of your own.

    Its lifespan lets running turns end when the application stops. A server such as uvicorn tells it so only
    when no connection is open any more, or its own patience is over.

    Args:
        agent: runs the turns; its response_format is what each ends in.
        authenticate: says who has sent a request: sessions and runs belong to that name. ``None`` lets
            everybody in, as one owner.
        deps: gives what a turn is run with; for an agent with a ``deps_type``.
        agent_for: gives the agent of a turn, such as one for each tenant, in place of ``agent``, whose
            response_format and deps_type it has.
        sessions: where conversations are kept; ``None`` for the agent's own store, if it has one.
        config: limits.

    Raises:
        ConfigurationError: something in it cannot work; the message says what to do.

    Example:
        app = FastAPI()
        app.include_router(create_router(agent, authenticate=who), prefix="/assistant")

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
    """
    return routers_of(Served(agent, sessions, config, deps, agent_for), authenticate)


def routers_of(served: Served, authenticate: Authenticate | None) -> APIRouter:
    """The routes of an agent, and its health, which alone answers everybody."""
    if authenticate is not None and not callable(authenticate):  # pyright: ignore[reportUnnecessaryComparison]
        raise ConfigurationError(f"authenticate must be a function, not {described(authenticate)}")

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncGenerator[None, None]:
        yield
        await served.runs.drain(served.config.drain_timeout)

    page = ChatPage(sessions=served.keeps_sessions, resume=served.runs.can_resume)
    open_to_all = APIRouter(route_class=route_class(None, 0))
    HealthRoutes(served).add_to(open_to_all)
    PageRoute(page, authenticate).add_to(open_to_all)
    bearer = [Security(HTTPBearer(auto_error=False, description="A key of this server."))]
    router = APIRouter(
        route_class=route_class(authenticate, served.config.max_body, lambda: served.runs.draining),
        dependencies=bearer if authenticate is not None else [],
    )
    NativeRoutes(served).add_to(router)
    FrontEndRoutes(served).add_to(router, {})
    if served.store is not None:
        SessionRoutes(served.store, served.runs, served.config.stall_timeout).add_to(router, PROBLEMS)
    both = APIRouter(lifespan=lifespan)
    OpenApiRoute(served, both, keyed=authenticate is not None).add_to(router)
    # Not included: whoever includes these routes would have FastAPI build each of them once more.
    both.routes.extend([*open_to_all.routes, *router.routes])
    return both


class NativeRoutes:
    """One turn, whole or as a native stream."""

    def __init__(self, served: Served) -> None:
        self._served = served

    def add_to(self, router: APIRouter) -> None:
        """Add the routes."""
        served = self._served
        router.add_api_route(
            "/v1/chat", self.chat, methods=["POST"], response_model=ChatAnswer, responses=PROBLEMS
        )
        router.add_api_route(
            "/v1/chat/stream",
            self.stream,
            methods=["POST"],
            response_class=Response,
            responses={**PROBLEMS, 200: STREAM},
        )
        path = f"{RUNS_PATH}{{run_id}}"
        router.add_api_route(
            path,
            self.resume,
            response_class=Response,
            responses={**PROBLEMS, 200: STREAM},
            include_in_schema=served.runs.can_resume,
            dependencies=[Depends(refuse_navigation)],
        )
        router.add_api_route(path, self.stop, methods=["DELETE"], status_code=204, responses=PROBLEMS)

    async def chat(self, request: Request, body: ChatRequest, owner: Owner) -> Response:
        """Run a turn, and answer with its result."""
        served = await self._served.for_request(request, owner)
        messages = read_chat(body, served)
        run = await served.begin(
            messages,
            lambda run_id: OutcomeOnly(),
            request=request,
            owner=owner,
            session=body.session,
            format="whole",
        )
        return WholeResponse(run, served.runs, served.config.stall_timeout)

    async def stream(
        self, request: Request, body: ChatRequest, owner: Owner, last_event_id: LastEventIdOfPost = None
    ) -> Response:
        """Run a turn, and answer with what it shows, as it comes."""
        served = await self._served.for_request(request, owner)
        messages = read_chat(body, served)
        after = 0
        if last_event_id is not None:
            after = number_of(last_event_id)
            run = served.find_repeated(messages, after, owner=owner, session=body.session, format="native")
        else:
            run = await served.begin(
                messages,
                lambda run_id: Native(),
                request=request,
                owner=owner,
                session=body.session,
                format="native",
            )
        return RunResponse(run, served.runs, served.config, after=after)

    async def resume(
        self, run_id: RunId, owner: Owner, session: Session = None, last_event_id: LastEventId = None
    ) -> Response:
        """Go on with a stream whose connection was lost."""
        served = self._served
        after = 0 if last_event_id is None else number_of(last_event_id)
        run = served.find(run_id, owner=owner, session=_checked(session), format="native")
        return RunResponse(served.check_resumable(run, after), served.runs, served.config, after=after)

    async def stop(self, run_id: RunId, owner: Owner, session: Session = None) -> Response:
        """Stop a turn; nothing of it is saved, unless it is being saved already."""
        run = self._served.find(run_id, owner=owner, session=_checked(session), format="native")
        await self._served.runs.drop(run)
        return Response(status_code=204)


def _checked(session: str | None) -> str | None:
    return None if session is None else check_client_session(session, "session")
