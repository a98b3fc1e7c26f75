"""Authenticates a request, by the application's function or by the key file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import TypeAlias

from starlette.requests import Request

from finalturn._serve.logs.reasons import raised_at
from finalturn._serve.problems.problem import Problem
from finalturn._support.logger import logger
from finalturn.stability import NEXT, beta

__all__ = ["Authenticate", "owner_of"]

Authenticate: TypeAlias = Callable[[Request], str | Awaitable[str | None] | None]
"""A function, sync or async, that says who has sent a request: the owner of its sessions.

It gives a name, of 1 to 1024 characters of any kind, as identity providers use them: ``auth0|1``, a URL, an
e-mail address. Names are the same when each character is. It gives ``None`` for somebody unknown, who gets
401. When it raises, or gives anything else, the request gets 500, and nothing is served. It is called on the
event loop, before the body is read: a synchronous one must not wait for anything.
"""
beta(since=NEXT).constant(__name__, "Authenticate")

_log = logger("finalturn.serve")
_LONGEST_NAME = 1024


async def owner_of(authenticate: Authenticate | None, request: Request) -> str | None:
    """The owner's name; ``None`` where nobody is asked for it.

    Args:
        authenticate: is asked; ``None`` lets everybody in.
        request: what it is asked about.

    Raises:
        Problem: the sender is unknown, or ``authenticate`` does not work. A developer finds the reason in
            the log.
    """
    if authenticate is None:
        return None
    try:
        answer = authenticate(request)
        owner = await answer if isawaitable(answer) else answer
    except Exception as error:
        # Its text stays out of the log: a KeyError, for one, holds the very key that was looked for.
        _log.error("authenticate raised %s, %s", type(error).__name__, raised_at(error))
    else:
        if owner is None:
            raise Problem("unauthorized", "A valid key is needed.", headers={"WWW-Authenticate": "Bearer"})
        wrong = _problem_with(owner)
        if wrong is None:
            return owner
        _log.error(
            "authenticate gave %s: it must give None, or a name of 1 to %d characters", wrong, _LONGEST_NAME
        )
    raise Problem("internal_error", "Something went wrong on the server.")


def _problem_with(owner: object) -> str | None:
    """What is wrong with an answer, without the answer: it may be a key."""
    if not isinstance(owner, str):
        return f"a value of type {type(owner).__name__}"
    if not owner:
        return "an empty name"
    return None if len(owner) <= _LONGEST_NAME else "a name that is too long"
