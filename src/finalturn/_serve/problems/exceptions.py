"""Turns an exception that ends a request into a problem document, and logs what was not foreseen."""

from __future__ import annotations

from fastapi import HTTPException
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from finalturn._core.errors import FinalturnError
from finalturn._serve.logs.reasons import reasons_of, without_text
from finalturn._serve.problems.failure import NOT_FOUND, FailureCode
from finalturn._serve.problems.invalid import validation_problem
from finalturn._serve.problems.problem import Problem
from finalturn._support.logger import logger

__all__ = ["CODES", "problem_of"]

_log = logger("finalturn.serve")

CODES: dict[int, FailureCode] = {
    400: "malformed_request",
    404: "not_found",
    405: "method_not_allowed",
}
"""By status: what the framework itself refuses, such as a path that no route has."""

_WORDS: dict[FailureCode, str] = {
    "malformed_request": "The body is not JSON that can be read.",
    "not_found": NOT_FOUND.message,
    "method_not_allowed": "This method is not offered here.",
}


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
            return validation_problem(error.errors(), error.body)
        case HTTPException() | StarletteHTTPException():
            code = CODES.get(error.status_code)
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
