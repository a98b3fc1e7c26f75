"""Serves the OpenAPI document."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from finalturn._serve.openapi.document import openapi_of
from finalturn._serve.served import Served

__all__ = ["OpenApiRoute"]

_PATH = "/openapi.json"


class OpenApiRoute:
    """The endpoint. The document is made when it is first asked for.

    Args:
        served: what is served.
        routes: all routes, this one included.
        keyed: whether a request needs a bearer key.
    """

    def __init__(self, served: Served, routes: APIRouter, *, keyed: bool) -> None:
        self._served = served
        self._routes = routes
        self._keyed = keyed
        self._made: dict[str, Any] | None = None

    def add_to(self, router: APIRouter) -> None:
        """Add the route."""
        router.add_api_route(_PATH, self.document, response_class=JSONResponse)

    async def document(self, request: Request) -> Response:
        """Say what the server offers."""
        if self._made is None:
            self._made = openapi_of(self._routes, self._served, keyed=self._keyed)
        # Where the routes are reached is known from the request only: others may have mounted them.
        prefix = request.scope["path"].removesuffix(_PATH)
        return JSONResponse({**self._made, "servers": [{"url": prefix or "/"}]})
