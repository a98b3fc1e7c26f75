"""Tracebacks for the log."""

from __future__ import annotations

from types import TracebackType

__all__ = ["without_text"]


def without_text(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """An exception's kind and traceback, without its text, which may hold a model's or a person's.

    Returns:
        What ``exc_info`` of a log record takes.
    """
    return RuntimeError, RuntimeError(type(error).__name__), error.__traceback__
