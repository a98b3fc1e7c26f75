"""Maps a client's session id and its owner to the id under which a store keeps the session.

A store takes few signs, and identity providers use many: ``auth0|1``, a URL, an e-mail address, any script. A
name that is no id is written in another way: ``--`` and the name, with each byte of UTF-8 but letters,
digits, ``_``, ``-`` and ``@`` as a dot and two hexadecimal digits; or, where that is too long, ``-@`` and its
SHA-256. A name that looks like one of these is written so too. So no two names are written alike.
"""

from __future__ import annotations

import base64
import hashlib
import re

from finalturn._serve.problems.problem import Problem

__all__ = [
    "OWNER_PATTERN",
    "SESSION_PATTERN",
    "check_client_session",
    "client_session",
    "owner_key",
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


def owner_key(owner: str) -> str:
    """How an owner's name is written in the id of a session: as it is, wherever that is an id of its own.

    Args:
        owner: any text that is not empty.

    Returns:
        1 to 64 of the signs that a key's name may have. Different names have different ones.
    """
    if _PLAIN.fullmatch(owner) and not _WRITTEN.fullmatch(owner):
        return owner
    data = owner.encode("utf-8", "surrogatepass")
    written = "--" + "".join(chr(byte) if byte in _KEPT else f".{byte:02x}" for byte in data)
    if len(written) <= _LONGEST and _WRITTEN.fullmatch(written):
        return written
    digest = hashlib.sha256(data).digest()
    return "-@" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


_PLAIN = re.compile(OWNER_PATTERN.removeprefix("^").removesuffix("$"))
_LONGEST = 64
_KEPT = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-@")
# What a name is written as: with a dot at least, or a digest.
_WRITTEN = re.compile(r"--[A-Za-z0-9_@-]*(\.[0-9a-f]{2}[A-Za-z0-9_@-]*)+|-@[A-Za-z0-9_-]{43}")


def prefix_of(owner: str | None) -> str:
    """What the stored ids of an owner's sessions start with. No client's id can: it has no colon."""
    return "" if owner is None else f"{owner_key(owner)}:"


def stored_session(owner: str | None, session: str) -> str:
    """The id under which a store keeps an owner's session."""
    return prefix_of(owner) + session


def client_session(owner: str | None, stored: str) -> str:
    """The inverse of `stored_session`."""
    return stored.removeprefix(prefix_of(owner))
