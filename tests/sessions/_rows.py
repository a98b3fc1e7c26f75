"""The database behind the sessions' back."""

from __future__ import annotations

import sqlite3
from contextlib import closing


def execute(database: str, statement: str) -> list[tuple[object, ...]]:
    """Run one statement and commit it."""
    if database.startswith("sqlite:///"):
        with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection, connection:
            return connection.execute(statement).fetchall()
    import psycopg

    with psycopg.connect(database) as server:
        cursor = server.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []
