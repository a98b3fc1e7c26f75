"""Where the chat page is served."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from finalturn._serve.access.authenticate import Authenticate, owner_of
from finalturn._serve.page.page import ChatPage
from finalturn._serve.problems.problem import Problem

__all__ = ["PageRoute"]


class PageRoute:
    """``GET /``: everybody gets the page, since it holds no secret.

    Args:
        page: what is sent.
        authenticate: says who has sent a request. Somebody unknown gets the page with 401, and it asks for a
            key: a browser cannot send one when it opens a page.
    """

    def __init__(self, page: ChatPage, authenticate: Authenticate | None) -> None:
        self._page = page
        self._authenticate = authenticate

    def add_to(self, router: APIRouter) -> None:
        """Add the route; the router itself must let everybody in."""
        router.add_api_route(
            "/", self.show, methods=["GET", "HEAD"], response_class=Response, include_in_schema=False
        )

    async def show(self, request: Request) -> Response:
        """Show the chat page."""
        try:
            await owner_of(self._authenticate, request)
        except Problem as problem:
            if problem.code != "unauthorized":
                raise
            return self._page.response(locked=True)
        return self._page.response()
