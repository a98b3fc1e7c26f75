"""Turns validation errors into a problem document, in words that quote nothing but names of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from finalturn._core.type_guards import is_array, is_mapping
from finalturn._serve.problems.problem import FieldError, Problem

__all__ = ["validation_problem"]

_MOST = 20


def validation_problem(errors: Sequence[Any], body: object) -> Problem:
    """The problem of a request that does not validate.

    Args:
        errors: as pydantic and FastAPI give them; at least one.
        body: the body, in JSON types.
    """
    first = errors[0]
    if first["type"] == "json_invalid":
        return Problem("malformed_request", "The body is not JSON that can be read.")
    if first["loc"] == ("body",):
        missing = first["type"] == "missing"
        problem = "A body is needed: a JSON object." if missing else "The body must be a JSON object."
        return Problem("invalid_request", problem, errors=(("", "must be a JSON object"),))
    problems: dict[str, str] = {}
    for error in errors:
        problems.setdefault(_field(error["loc"], body), _pydantic_message(error))
    # An alternative that does not fit at all is only of interest when nothing is wrong further inside.
    fields: list[FieldError] = [
        (name, problem)
        for name, problem in problems.items()
        if not any(other.startswith(name + "/") for other in problems)
    ]
    name, problem = fields[0]
    return Problem("invalid_request", f"{name}: {problem}", errors=tuple(fields[:_MOST]))


def _field(loc: Sequence[str | int], body: object) -> str:
    where, *path = loc
    if where != "body":
        return str(path[0]) if path else str(where)
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in _steps(path, body))


def _steps(path: Sequence[str | int], body: object) -> list[str | int]:
    """The path without pydantic's names for the alternatives of a union, which are no part of the body."""
    steps: list[str | int] = []
    here: object = body
    for place, part in enumerate(path):
        if is_mapping(here) and (part in here or place == len(path) - 1):
            here = here.get(part)
        elif is_array(here) and isinstance(part, int) and part < len(here):
            here = cast("Sequence[object]", here)[part]
        else:
            continue
        steps.append(part)
    return steps


def _pydantic_message(error: Any) -> str:
    """Pydantic's words: of the errors of types and lengths, they say what is wanted."""
    message = str(error["msg"])
    return message[:1].lower() + message[1:]
