"""Makes the log fields that explain a failure, so that whoever runs the server can repair it.

Our own errors have texts that anybody may read. What a model, a vendor or a driver says stays out: of a
vendor there is the status and its short code, and of a driver the kind of its exception and its code.
Providers and stores of other makers raise our errors too, and may be careless: what looks like a key or a
path is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from traceback import walk_tb
from types import TracebackType

from finalturn._core.errors import FinalturnError, ProviderError, ToolError

__all__ = ["raised_at", "reasons_of", "without_text"]

# The name of a kind of error, as vendors and SQLite have them; a number; or an SQLSTATE.
_CODE = re.compile(r"[A-Za-z]+([_. ]?[A-Za-z]+)*|[0-9]{1,6}|[0-9A-Z]{5}")
_LONGEST_CODE = 64
_HIDDEN = re.compile(
    # What keys begin with, and what is as long and as mixed as one.
    r"\b(?:sk|pk|rk|gsk|xai|hf|ghp|pat|key|finalturn|AIza|AKIA|Bearer|Basic)"
    r"[-_ ]?[A-Za-z0-9._~+/=-]*[0-9][^\s,;'\"]*"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])[A-Za-z0-9]{20,}[^\s,;'\"]*"
    # A path; an address with a user, or with what follows a question mark.
    r"|(?<![^\s'\"(=:])(?:~|[A-Za-z]:)?[/\\][^\s,;'\"]+"
    r"|[a-z][a-z+.-]*://[^\s,;'\"]*[@?][^\s,;'\"]*"
)
_MOST_CAUSES = 8
# SQLSTATE (PostgreSQL), the name of SQLite's code, and that of the system.
_CODES = ("sqlstate", "sqlite_errorname", "errno")


def reasons_of(error: BaseException) -> dict[str, str | int]:
    """Extras of a log record: ``reason``, ``status``, ``vendor_code``, ``cause``, ``cause_code``, as known.

    Args:
        error: what a turn, or a request, failed with.
    """
    extras: dict[str, str | int] = {}
    if not isinstance(error, FinalturnError) or isinstance(error, ToolError):
        return extras
    extras["reason"] = _HIDDEN.sub("...", str(error))
    if isinstance(error, ProviderError):
        if error.status is not None:
            extras["status"] = error.status
        if _is_code(error.code):
            extras["vendor_code"] = str(error.code)
    causes = list(_causes(error))
    if causes:
        extras["cause"] = type(causes[-1]).__name__
    for cause in reversed(causes):
        for name in _CODES:
            code: object = getattr(cause, name, None)
            if isinstance(code, int) or _is_code(code):
                return {**extras, "cause_code": code if isinstance(code, int) else str(code)}
    return extras


def _causes(error: BaseException) -> Iterator[BaseException]:
    """What an error comes from, the innermost last; SQLAlchemy has the driver's own as ``orig``."""
    for _ in range(_MOST_CAUSES):
        inner: object = getattr(error, "orig", None) or error.__cause__
        if not isinstance(inner, BaseException):
            return
        error = inner
        yield error


def _is_code(code: object) -> bool:
    return isinstance(code, str) and len(code) <= _LONGEST_CODE and bool(_CODE.fullmatch(code))


def raised_at(error: BaseException) -> str:
    """Where it was raised, without a path."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return f"in {frame.f_code.co_qualname}, line {line}"


def without_text(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """An exception's kind and traceback, without its text, which may hold a model's or a person's.

    Returns:
        What ``exc_info`` of a log record takes.
    """
    return RuntimeError, RuntimeError(type(error).__name__), error.__traceback__
