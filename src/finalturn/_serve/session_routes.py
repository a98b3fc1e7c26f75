"""Sessions over HTTP: list them, read one, delete one. Each owner sees their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import JSONResponse, Response

from finalturn._agent.stores import ask_store, load_history
from finalturn._core.errors import SessionDamagedError, SessionError
from finalturn._core.protocols import SessionCatalog, SessionStore, SessionSummary
from finalturn._serve.access.owners import (
    SESSION_PATTERN,
    check_client_session,
    client_session,
    prefix_of,
    stored_session,
)
from finalturn._serve.formats.public import public_message
from finalturn._serve.formats.schemas_answers import SessionDocument, SessionPage
from finalturn._serve.problems.failure import LIST_DAMAGED, NOT_FOUND, OVERLOADED, failure_of
from finalturn._serve.problems.problem import Problem
from finalturn._serve.requests.route import owner
from finalturn._serve.runs.patient import PatientResponse
from finalturn._serve.runs.runs import Runs

__all__ = ["SessionRoutes"]

Owner = Annotated[str | None, Depends(owner)]
SessionId = Annotated[
    str, Path(description="The session's id.", json_schema_extra={"pattern": SESSION_PATTERN})
]
After = Annotated[
    str | None,
    Query(
        description="Where the page begins: `next` of the page before.",
        json_schema_extra={"pattern": SESSION_PATTERN},
    ),
]
Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]


class SessionRoutes:
    """The endpoints.

    Args:
        store: where sessions are kept. Listing and deleting need a `SessionCatalog`.
        runs: a session that a run goes on in is not deleted.
        stall_timeout: seconds; a client that has taken nothing of an answer for so long is taken for gone.
    """

    def __init__(self, store: SessionStore, runs: Runs, stall_timeout: float) -> None:
        self._stall_timeout = stall_timeout
        self._store = store
        self._runs = runs

    def add_to(self, router: APIRouter, responses: dict[int | str, dict[str, Any]]) -> None:
        """Add the routes that the store can serve.

        Args:
            router: gets them.
            responses: how a request can fail, for the OpenAPI document.
        """
        path = "/v1/sessions/{session}"
        if isinstance(self._store, SessionCatalog):
            router.add_api_route("/v1/sessions", self.list, response_model=SessionPage, responses=responses)
            router.add_api_route(path, self.delete, methods=["DELETE"], status_code=204, responses=responses)
        router.add_api_route(path, self.read, response_model=SessionDocument, responses=responses)

    async def list(self, owner: Owner, after: After = None, limit: Limit = 100) -> Response:
        """List your sessions, ordered by id."""
        assert isinstance(self._store, SessionCatalog)
        start = "" if after is None else stored_session(owner, check_client_session(after, "after"))
        try:
            summaries, more = await self._page(owner, start, limit)
        except SessionDamagedError as error:
            raise Problem.of(LIST_DAMAGED) from error
        except SessionError as error:
            raise Problem.of(failure_of(error)) from error
        entries = [
            {
                "session": client_session(owner, summary.session),
                "version": summary.version,
                "updated": summary.updated.isoformat(),
            }
            for summary in summaries
        ]
        return self._json({"sessions": entries, "next": entries[-1]["session"] if more else None})

    async def _page(self, owner: str | None, start: str, limit: int) -> tuple[Sequence[SessionSummary], bool]:
        """Sessions after an id, and whether there are more."""
        assert isinstance(self._store, SessionCatalog)
        summaries: list[SessionSummary] = []
        while True:
            page = await ask_store(self._store, self._store.list_sessions, prefix_of(owner), start, limit + 1)
            # Where nobody has to say who they are, the sessions of owners are not for everybody.
            summaries += [summary for summary in page if owner is not None or ":" not in summary.session]
            if len(summaries) > limit or len(page) <= limit:
                return summaries[:limit], len(summaries) > limit
            name, colon, _ = page[-1].session.partition(":")
            # All of an owner's are passed over at once: ";" comes after ":".
            start = f"{name};" if colon and owner is None else page[-1].session

    async def read(self, session: SessionId, owner: Owner) -> Response:
        """Read a session. One that a turn is being saved to is read with that turn."""
        check_client_session(session, "session")
        await self._runs.wait_until_saved(owner, session)
        try:
            history = await load_history(self._store, stored_session(owner, session))
        except SessionError as error:
            raise Problem.of(failure_of(error)) from error
        if not history.version:
            raise Problem.of(NOT_FOUND)
        messages = [public_message(message) for message in history.messages]
        return self._json({"session": session, "version": history.version, "messages": messages})

    async def delete(self, session: SessionId, owner: Owner) -> Response:
        """Forget a session."""
        assert isinstance(self._store, SessionCatalog)
        check_client_session(session, "session")
        await self._runs.end_running(owner, session)
        try:
            deleted = await ask_store(self._store, self._store.delete, stored_session(owner, session))
        except SessionError as error:
            raise Problem.of(failure_of(error)) from error
        if not deleted:
            raise Problem.of(NOT_FOUND)
        return Response(status_code=204)

    def _json(self, document: dict[str, Any]) -> Response:
        body = JSONResponse(document).body
        if self._runs.is_large(len(body)) and self._runs.full:
            raise Problem.of(OVERLOADED)
        return PatientResponse(bytes(body), self._runs, self._stall_timeout, {"Cache-Control": "no-store"})
