"""Checks session ids."""

from __future__ import annotations

import re

from finalturn._core.errors import SessionError

_ALLOWED = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._:@-]{0,127}")


def check_session_id(session: object) -> str:
    """The id, if it is allowed: 1 to 128 ASCII letters, digits and ``._:@-``, none of ``.:@`` first.

    Raises:
        SessionError: it is not.
    """
    if isinstance(session, str) and _ALLOWED.fullmatch(session):
        return session
    raise SessionError(
        "the session id is not allowed: use 1 to 128 letters, digits, '_', '-', '.', ':' or '@', starting"
        " with a letter, a digit, '_' or '-'"
    )
