"""Whose session it is: a client's session id, and the id under which a store keeps it."""

from __future__ import annotations

import re

from finalturn.serve._problem import Problem

__all__ = [
    "OWNER_PATTERN",
    "SESSION_PATTERN",
    "check_client_session",
    "client_session",
    "prefix_of",
    "stored_session",
]

SESSION_PATTERN = "^[A-Za-z0-9_-][A-Za-z0-9._@-]{0,62}$"
OWNER_PATTERN = "^[A-Za-z0-9_-][A-Za-z0-9._@-]{0,63}$"

_ALLOWED = re.compile(SESSION_PATTERN.removeprefix("^").removesuffix("$"))


def check_client_session(value: str, field: str) -> str:
    """The id that a client gave, if it is allowed.

    Args:
        value: the id.
        field: a JSON Pointer to it, or the name of the parameter.

    Raises:
        Problem: it is not.
    """
    if _ALLOWED.fullmatch(value):
        return value
    problem = (
        "must be 1 to 63 ASCII letters, digits, '_', '-', '.' or '@', and start with a letter, a digit, '_'"
        " or '-'"
    )
    raise Problem.field(field, problem, code="malformed_request")


def prefix_of(owner: str | None) -> str:
    """What the stored ids of an owner's sessions start with. No client's id can: it has no colon."""
    return "" if owner is None else f"{owner}:"


def stored_session(owner: str | None, session: str) -> str:
    """The id under which a store keeps an owner's session."""
    return prefix_of(owner) + session


def client_session(owner: str | None, stored: str) -> str:
    """The inverse of `stored_session`."""
    return stored.removeprefix(prefix_of(owner))
