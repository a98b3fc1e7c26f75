"""The route class of every endpoint: it authenticates, limits bodies, and turns exceptions into problems."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from finalturn._serve.access.authenticate import Authenticate, owner_of
from finalturn._serve.problems.exceptions import CODES, problem_of
from finalturn._serve.problems.failure import SHUTTING_DOWN
from finalturn._serve.problems.problem import Problem, problem_response
from finalturn._serve.requests.body import check_json, limited

__all__ = ["owner", "refuse_navigation", "route_class"]


async def owner(request: Request) -> str | None:
    """Who has sent the request; a dependency of endpoints. A plain function would cost a thread."""
    name: str | None = request.state.finalturn_owner
    return name


async def refuse_navigation(request: Request) -> None:
    """Refuse what a browser opens, frames or embeds: a dependency of addresses to which a GET has an effect.

    A link of another page carries the cookies of an application's login, unless they are SameSite=Strict.

    Raises:
        Problem: it is no request of a program or a script.
    """
    if any(value.strip().lower() not in ("", "empty") for value in request.headers.getlist("sec-fetch-dest")):
        raise Problem("forbidden_origin", "This address is for programs and scripts: it cannot be opened.")


def route_class(
    authenticate: Authenticate | None, max_body: int, is_draining: Callable[[], bool] = lambda: False
) -> type[APIRoute]:
    """The class of a router's routes.

    Args:
        authenticate: says who has sent a request; ``None`` lets everybody in.
        max_body: bytes.
        is_draining: whether the server is shutting down: then a request that is cancelled is told so.
    """

    class Route(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()
            takes_json = self.body_field is not None

            async def handler(request: Request) -> Response:
                try:
                    # Before anything of the body is read.
                    request.state.finalturn_owner = (
                        None if authenticate is None else await owner_of(authenticate, request)
                    )
                    if takes_json:
                        check_json(request)
                        request = limited(request, max_body)
                    return await handle(request)
                except ClientDisconnect:
                    raise
                except asyncio.CancelledError:
                    if not is_draining():
                        raise
                    # What it waits for, such as a store that hangs, is waited for no longer.
                    return problem_response(Problem.of(SHUTTING_DOWN))
                except StarletteHTTPException as error:
                    if not isinstance(error, Problem) and error.status_code not in CODES:
                        # Of a dependency of the application that the router is mounted in.
                        raise
                    return problem_response(problem_of(error))
                except Exception as error:
                    return problem_response(problem_of(error))

            return handler

    return Route
