"""pydantic's ValidationError as problems."""

from __future__ import annotations

from typing import get_args

from pydantic_core import ValidationError
from pydantic_core.core_schema import ErrorType

from finalturn._core.output.reasons import Problem, quoted

_TYPES = frozenset(get_args(ErrorType))


def problems_of(error: ValidationError) -> list[Problem]:
    """Everything that pydantic found.

    A type that is not pydantic's own comes from a user's validator, which may have made it of the value:
    it shows as ``custom_error``.
    """
    found: list[Problem] = []
    for item in error.errors(include_url=False, include_context=False):
        got = quoted(item["input"])
        message = f"{item['msg']} [{item['type']}]"
        found.append(
            Problem(
                path=item["loc"],
                kind=item["type"] if item["type"] in _TYPES else "custom_error",
                message=f"{message}; got {got}" if got else message,
            )
        )
    return found
