"""The routes of front ends: AG-UI and the AI SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request
from starlette.responses import Response

from finalturn._serve.access.owners import check_client_session
from finalturn._serve.formats.ai_sdk import HEADERS
from finalturn._serve.requests.ag_ui import AgUiRequest, read_ag_ui
from finalturn._serve.requests.ai_sdk import AiSdkRequest, read_ai_sdk
from finalturn._serve.requests.front_end import TurnRequest
from finalturn._serve.requests.route import owner, refuse_navigation
from finalturn._serve.runs.last_event import LastEventIdOfPost, number_of
from finalturn._serve.runs.response import RunResponse
from finalturn._serve.served import Served

__all__ = ["FrontEndRoutes"]

_Owner = Annotated[str | None, Depends(owner)]
_ChatId = Annotated[str, Path(description="The client's id of the chat.")]


class FrontEndRoutes:
    """One turn, in the formats of front ends.

    Args:
        served: what is served.
    """

    def __init__(self, served: Served) -> None:
        self._served = served

    def add_to(self, router: APIRouter, responses: dict[int | str, dict[str, Any]]) -> None:
        """Add the routes.

        Args:
            router: takes them.
            responses: what the OpenAPI document says of their answers.
        """
        for path, endpoint in (("/ag-ui", self.ag_ui), ("/ai-sdk", self.ai_sdk)):
            router.add_api_route(
                path, endpoint, methods=["POST"], response_class=Response, responses=responses
            )
        router.add_api_route(
            "/ai-sdk/{chat_id}/stream",
            self.ai_sdk_again,
            response_class=Response,
            responses=responses,
            dependencies=[Depends(refuse_navigation)],
        )
        router.add_api_route(
            "/ai-sdk/{chat_id}/stream",
            self.ai_sdk_stop,
            methods=["DELETE"],
            status_code=204,
            responses=responses,
        )

    async def ai_sdk_stop(self, chat_id: _ChatId, owner: _Owner) -> Response:
        """Stop a chat's turn, if one goes on; nothing of it is saved, unless it is being saved already."""
        served = self._served
        session = check_client_session(chat_id, "chat_id")
        run = served.runs.running(owner=owner, session=session, format="ai-sdk")
        if run is not None:
            await served.runs.drop(run)
        return Response(status_code=204)

    async def ag_ui(
        self, request: Request, body: AgUiRequest, owner: _Owner, last_event_id: LastEventIdOfPost = None
    ) -> Response:
        """Run a turn, and answer with AG-UI events."""
        served = await self._served.for_request(request, owner)
        return await _turn(served, request, read_ag_ui(body, served), owner, "ag-ui", last_event_id, {})

    async def ai_sdk(
        self, request: Request, body: AiSdkRequest, owner: _Owner, last_event_id: LastEventIdOfPost = None
    ) -> Response:
        """Run a turn, and answer with the AI SDK's UI message stream."""
        served = await self._served.for_request(request, owner)
        return await _turn(
            served, request, read_ai_sdk(body, served), owner, "ai-sdk", last_event_id, HEADERS
        )

    async def ai_sdk_again(self, chat_id: _ChatId, owner: _Owner) -> Response:
        """Send the stream of a chat's turn from its start, if one goes on; else there is nothing to send."""
        served = self._served
        session = check_client_session(chat_id, "chat_id")
        run = served.runs.running(owner=owner, session=session, format="ai-sdk")
        if run is None or not served.runs.can_resume or not run.can_follow(0):
            return Response(status_code=204)
        return RunResponse(run, served.runs, served.config, headers=HEADERS)


async def _turn(
    served: Served,
    request: Request,
    asked: TurnRequest,
    owner: str | None,
    format: str,
    last_event_id: str | None,
    headers: Mapping[str, str],
) -> Response:
    after = 0
    if last_event_id is not None:
        after = number_of(last_event_id)
        run = served.find_repeated(asked.messages, after, owner=owner, session=asked.session, format=format)
    else:
        run = await served.begin(
            asked.messages,
            asked.projection,
            request=request,
            owner=owner,
            session=asked.session,
            format=format,
        )
    return RunResponse(run, served.runs, served.config, after=after, headers=headers)
