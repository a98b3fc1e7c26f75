"""What happens around every endpoint, in this order: who is it, how long is the body, what went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from finalturn._core.errors import FinalturnError
from finalturn._serve.access.authenticate import Authenticate, owner_of
from finalturn._serve.logs.reasons import reasons_of
from finalturn._serve.logs.tracebacks import without_text
from finalturn._serve.problems.failure import NOT_FOUND, SHUTTING_DOWN, FailureCode
from finalturn._serve.problems.invalid import invalid
from finalturn._serve.problems.problem import Problem, problem_response
from finalturn._serve.requests.body import check_json, limited
from finalturn._support.logger import logger

__all__ = ["fetched", "owner", "problem_of", "route_class"]

_log = logger("finalturn.serve")

_CODES: dict[int, FailureCode] = {
    400: "malformed_request",
    404: "not_found",
    405: "method_not_allowed",
}
_WORDS: dict[FailureCode, str] = {
    "malformed_request": "The body is not JSON that can be read.",
    "not_found": NOT_FOUND.message,
    "method_not_allowed": "This method is not offered here.",
}


async def owner(request: Request) -> str | None:
    """Who has sent the request; a dependency of endpoints. A plain function would cost a thread."""
    found: str | None = request.state.finalturn_owner
    return found


async def fetched(request: Request) -> None:
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
                    if not isinstance(error, Problem) and error.status_code not in _CODES:
                        # Of a dependency of the application that the router is mounted in.
                        raise
                    return problem_response(problem_of(error))
                except Exception as error:
                    return problem_response(problem_of(error))

            return handler

    return Route


def problem_of(error: Exception) -> Problem:
    """What a client is told of an exception of an endpoint; what was not foreseen is logged."""
    match error:
        case Problem():
            if isinstance(error.__cause__, FinalturnError):
                cause = error.__cause__
                facts = {"code": error.code, "error": type(cause).__name__, **reasons_of(cause)}
                _log.warning("request failed", extra=facts)
            return error
        case RequestValidationError():
            return invalid(error.errors(), error.body)
        case HTTPException() | StarletteHTTPException():
            code = _CODES.get(error.status_code)
            if code is not None:
                return Problem(code, _WORDS[code], headers=dict(error.headers or {}))
        case _:
            pass
    _log.error(
        "request failed",
        extra={"error": type(error).__name__, **reasons_of(error)},
        exc_info=without_text(error),
    )
    return Problem("internal_error", "Something went wrong on the server.")
