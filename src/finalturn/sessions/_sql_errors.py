"""Failures of the database in finalturn's words."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from finalturn.core.errors import SessionConflictError, SessionError

__all__ = ["conflict", "reporting"]


@contextmanager
def reporting(problem: str) -> Generator[None]:
    """Turn what SQLAlchemy raises into a `SessionError`.

    Args:
        problem: what could not be done.
    """
    try:
        yield
    except SQLAlchemyError as error:
        # The driver's error is the cause: SQLAlchemy's quotes what was to be saved.
        cause = getattr(error, "orig", None) or error
        raise SessionError(f"{problem} ({type(cause).__name__})") from cause


def conflict() -> SessionConflictError:
    """The words for the second of two writers."""
    return SessionConflictError(
        "another turn was saved to this session meanwhile; load it again and repeat the turn"
    )
