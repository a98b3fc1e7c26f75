"""`Problem`: the exception that refuses a request, with its problem document (RFC 9457)."""

from __future__ import annotations

import json
from http.client import responses
from typing import Any

from fastapi import HTTPException
from starlette.responses import Response

from finalturn._serve.problems.failure import STATUS, Failure, FailureCode

__all__ = ["PROBLEM_JSON", "FieldError", "Problem", "problem_response"]

PROBLEM_JSON = "application/problem+json"

_TITLES: dict[int, str] = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    410: "Gone",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
}

FieldError = tuple[str, str]
"""A JSON Pointer (RFC 6901) to a field of the body, or the name of a parameter; and what is wrong with it."""


class Problem(HTTPException):
    """Ends a request with a problem document.

    Args:
        code: why.
        detail: the same in words; nothing of the server's inner life, and nothing that was sent.
        errors: the fields that are wrong.
        retryable: whether the same request may succeed later.
        headers: of the answer.
        status: the HTTP status, where it is another than that of the code.
    """

    def __init__(
        self,
        code: FailureCode,
        detail: str,
        *,
        errors: tuple[FieldError, ...] = (),
        retryable: bool = False,
        headers: dict[str, str] | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(STATUS[code] if status is None else status, detail, headers or {})
        self.code: FailureCode = code
        self.errors = errors
        self.retryable = retryable

    @classmethod
    def of(cls, failure: Failure) -> Problem:
        """The same as the failure of a turn."""
        headers = {"Retry-After": "1"} if failure.code in ("overloaded", "shutting_down") else {}
        return cls(failure.code, failure.message, retryable=failure.retryable, headers=headers)

    @classmethod
    def field(cls, name: str, problem: str, *, code: FailureCode = "invalid_request") -> Problem:
        """One field is wrong.

        Args:
            name: a JSON Pointer to it, or the name of a parameter.
            problem: what is wrong, as the rest of a sentence that begins with the field.
            code: why the request is refused.
        """
        return cls(code, f"{name}: {problem}", errors=((name, problem),))

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.status_code

    def document(self) -> dict[str, Any]:
        """The problem document."""
        document: dict[str, Any] = {
            "type": "about:blank",
            "title": _TITLES.get(self.status_code) or responses.get(self.status_code, "Error"),
            "status": self.status_code,
            "detail": self.detail,
            "code": self.code,
            "retryable": self.retryable,
        }
        if self.errors:
            document["errors"] = [{"field": name, "problem": problem} for name, problem in self.errors]
        return document


def problem_response(problem: Problem) -> Response:
    """The answer."""
    body = json.dumps(problem.document()).encode()
    return Response(body, problem.status_code, headers=problem.headers, media_type=PROBLEM_JSON)
