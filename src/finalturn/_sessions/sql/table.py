"""The table of turns, and the statements on it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    DateTime,
    Delete,
    Dialect,
    Insert,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    Text,
    TypeDecorator,
    delete,
    false,
    func,
    insert,
    literal,
    select,
    tuple_,
)

__all__ = [
    "LARGEST_VERSION",
    "METADATA",
    "TURNS",
    "SessionId",
    "UTCTime",
    "append_turn",
    "delete_turns",
    "read_on",
    "read_turns",
    "summaries",
]

LARGEST_VERSION = 2**31 - 1

# Ordered by ASCII, whatever the database's language. SQLite orders so by itself.
SessionId = String(128).with_variant(String(128, collation="C"), "postgresql")


class UTCTime(TypeDecorator[datetime]):
    """A time in UTC, to the microsecond. SQLite has no time zones and keeps it without one.

    SQLite keeps any other value too: what is no time is read as None.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """On its way in."""
        if value is None or dialect.name != "sqlite":
            return value
        return value.astimezone(UTC).replace(tzinfo=None)

    def result_processor(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, dialect: Dialect, coltype: object
    ) -> Callable[[Any], datetime | None] | None:
        """Reads a value of the driver's."""
        read = super().result_processor(dialect, coltype)
        if read is None:
            return None

        def or_none(value: Any) -> datetime | None:
            try:
                return read(value)
            except (ValueError, TypeError):
                return None

        return or_none

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """On its way out."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


METADATA = MetaData()
TURNS = Table(
    "finalturn_turns",
    METADATA,
    Column("session", SessionId, primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("saved", UTCTime(), nullable=False),
    # Last, so that a listing need not read through it.
    Column("messages", Text, nullable=False),
)

_session: Column[str] = TURNS.c.session
_version: Column[int] = TURNS.c.version
_saved: Column[datetime] = TURNS.c.saved
_messages: Column[str] = TURNS.c.messages


def append_turn(session: str, version: int, saved: datetime, messages: str) -> Insert:
    """Insert the turn after ``version``, or no row when that is not the session's version."""
    current = select(func.coalesce(func.max(_version), 0)).where(_session == session).scalar_subquery()
    row = select(
        literal(session, SessionId),
        literal(version + 1, Integer),
        literal(saved, UTCTime()),
        literal(messages, Text),
    ).where(current == version)
    return insert(TURNS).from_select(list(TURNS.c), row).execution_options(preserve_rowcount=True)


def read_turns(session: str) -> Select[int, str]:
    """The versions and messages of a session, in order."""
    return select(_version, _messages).where(_session == session).order_by(_version)


def delete_turns(session: str) -> Delete:
    """Every turn of a session."""
    return delete(TURNS).where(_session == session)


def read_on(prefix: str, session: str, version: int, limit: int) -> Select[str, int, datetime, str]:
    """The turns that follow one, in the order of sessions and versions."""
    after = tuple_(_session, _version) > tuple_(literal(session, SessionId), literal(version, Integer))
    turns = select(_session, _version, _saved, _messages).where(after, *_starts_with(prefix))
    return turns.order_by(_session, _version).limit(limit)


def summaries(prefix: str, after: str, limit: int) -> Select[str, int, datetime]:
    """A page of sessions: id, version, and when the last turn was saved."""
    last = select(_session, func.max(_version).label("version")).where(*_starts_with(prefix))
    if after:
        last = last.where(_session > _comparable(after))
    page = last.group_by(_session).order_by(_session).limit(limit).subquery()
    return (
        select(_session, _version, _saved)
        .join(page, (page.c.session == _session) & (page.c.version == _version))
        .order_by(_session)
    )


def _starts_with(prefix: str) -> list[ColumnElement[bool]]:
    if not prefix:
        return []
    if not re.fullmatch(r"[\x20-\x7e]+", prefix):
        return [false()]
    # No LIKE: on SQLite it ignores case and no index serves it. Every character of an id is less than DEL.
    return [_session >= prefix, _session < prefix + "\x7f"]


def _comparable(text: str) -> str:
    """A text that compares with every id as ``text`` does, made of what any database can hold."""
    return re.sub(r"(?s)[^\x01-\x7e].*", lambda match: "" if match[0][0] == "\x00" else "\x7f", text)
