"""A session's turns as JSON Lines: one line for each turn."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from finalturn._core import json_text
from finalturn._core.errors import MessageFormatError, SessionError
from finalturn._core.type_guards import is_mapping
from finalturn._sessions.ids import check_session_id
from finalturn._sessions.turn_text import DEPTH, encode_turn, read_messages
from finalturn.stability import NEXT, beta

__all__ = ["BadLine", "ImportProblem", "ImportReport", "StoredTurn", "read_line", "write_line"]

_FIELDS = ("session", "version", "saved", "messages")
_LARGEST_VERSION = 2**31 - 1
_DEPTH = DEPTH + 1
# Beyond these years a time zone may take a time out of the calendar.
_YEARS = range(1970, 9999)


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ImportProblem:
    """Why a session was not imported, or a whole file.

    Attributes:
        line: the number of the line, from 1.
        session: the session, nothing of which was imported; ``None`` when the line does not say. It may
            belong to any session then, and nothing at all was imported.
        reason: what is wrong.
    """

    line: int
    session: str | None
    reason: str


@beta(since=NEXT)
@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported, and what was not.

    Attributes:
        sessions: how many sessions were imported, each whole.
        turns: how many turns they have.
        problems: what was not imported, and why, in the order of the lines.
    """

    sessions: int
    turns: int
    problems: tuple[ImportProblem, ...]


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A turn as it is stored.

    Attributes:
        session: the id of its session.
        version: its number there, from 1.
        saved: when, in UTC.
        messages: their text, as `encode_turn` writes it.
    """

    session: str
    version: int
    saved: datetime
    messages: str


class BadLine(Exception):
    """A line that is not a turn.

    Args:
        reason: what is wrong with it.
        session: which session it belongs to; ``None`` when that cannot be read either.
    """

    def __init__(self, reason: str, session: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.session = session


def write_line(turn: StoredTurn) -> str:
    """The line, without its end. It is ASCII."""
    saved = turn.saved.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    head = {"session": turn.session, "version": turn.version, "saved": saved}
    # The messages are JSON already.
    return f'{json.dumps(head, separators=(",", ":"))[:-1]},"messages":{turn.messages}}}'


def read_line(line: str | bytes) -> StoredTurn:
    """The inverse of `write_line`.

    Raises:
        BadLine: it is not a turn.
    """
    try:
        fields: Any = json_text.decode(line, max_depth=_DEPTH)
    except ValueError:
        raise BadLine("it is not one JSON value") from None
    if not is_mapping(fields):
        raise BadLine("it is not a JSON object")
    try:
        session = check_session_id(fields.get("session"))
    except SessionError as error:
        raise BadLine(str(error)) from None
    for name in _FIELDS:
        if name not in fields:
            raise BadLine(f"{name}: is missing", session)
    if len(fields) > len(_FIELDS):
        raise BadLine(f"it has other fields than {', '.join(_FIELDS)}", session)
    version = fields["version"]
    if type(version) is not int or not 1 <= version <= _LARGEST_VERSION:
        raise BadLine("version: must be a whole number from 1", session)
    saved = _time(fields["saved"])
    if saved is None:
        raise BadLine("saved: must be a time with its zone, such as 2026-01-31T12:00:00Z", session)
    try:
        text = encode_turn(read_messages(fields["messages"]))
    except (MessageFormatError, SessionError) as error:
        raise BadLine(str(error), session) from None
    return StoredTurn(session, version, saved, text)


def _time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        # A time without a zone is none: whose would it be?
        utc = moment.astimezone(UTC) if moment.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
    return utc if utc is not None and utc.year in _YEARS else None
