"""Asks a user's function a question whose only good answer is True."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from finalturn._tools.calling import call
from finalturn._tools.contain import Job, Raised, TimedOut, contain

__all__ = ["refusal"]


async def refusal(ask: Callable[[], object], timeout: float | None, subject: str) -> str | None:
    """Why the answer is not ``True``, in words for the model; ``None`` when it is.

    Args:
        ask: gives a bool, sync (it then runs in a thread) or async.
        timeout: seconds to wait for it.
        subject: the question, as the subject of a sentence: "its approval".
    """
    match (await contain([Job(partial(call, ask), timeout)]))[0]:
        case True:
            return None
        case False:
            return f"{subject} was refused."
        case Raised(error):
            return f"{subject} failed ({type(error).__name__})."
        case TimedOut():
            return f"{subject} took too long."
        case answer:
            return f"{subject} gave no yes or no (a {type(answer).__name__})."
