"""Calls functions of the application for a request, and says what a client is told when they fail."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from http.client import responses
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from starlette.exceptions import HTTPException
from starlette.requests import Request

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._serve.logs.reasons import raised_at
from finalturn._serve.problems.problem import Problem
from finalturn._support.logger import logger

__all__ = ["call", "check_function", "in_thread", "problem_from"]

T = TypeVar("T")

_log = logger("finalturn.serve")


def check_function(function: object, name: str, gives: str) -> None:
    """Check a function of the application.

    Args:
        function: of a request and its owner; ``None`` where there is none.
        name: of the argument.
        gives: what it gives, in words.

    Raises:
        ConfigurationError: it cannot be called.
    """
    if function is not None and not callable(function):
        raise ConfigurationError(
            f"{name} must be a function of a request and its owner that gives {gives}, not"
            f" {described(function)}"
        )


async def call(function: Callable[[Request, str | None], Any], request: Request, owner: str | None) -> Any:
    """What a function gives; not awaited yet."""
    called: Any = function if inspect.isroutine(function) else getattr(function, "__call__", None)  # noqa: B004
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called):
        return function(request, owner)
    # In a tuple, as what it gives may be something to await.
    return (await in_thread(lambda: (function(request, owner),)))[0]


async def in_thread(function: Callable[[], T]) -> T:
    """Call a function in a worker thread."""
    return await to_thread.run_sync(function, limiter=CapacityLimiter(math.inf))


def problem_from(error: Exception, name: str) -> Problem:
    """What a client is told of an exception of the application's function."""
    if isinstance(error, HTTPException) and 400 <= error.status_code <= 599:
        status = error.status_code
        # FastAPI's may be anything that is JSON.
        detail: Any = error.detail
        headers = _without_body_headers(error.headers or {})
        return Problem(
            "refused",
            detail
            if isinstance(detail, str) and detail
            else responses.get(status, "The request is refused."),
            status=status,
            headers=headers,
            retryable=any(header.lower() == "retry-after" for header in headers),
        )
    # Its text stays out of the log: it may hold what the application was looking for.
    _log.error("%s raised %s, %s", name, type(error).__name__, raised_at(error))
    return Problem("internal_error", "Something went wrong on the server.")


def _without_body_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
