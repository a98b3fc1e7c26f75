"""The first step of the schema."""

from __future__ import annotations

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, inspect

from finalturn._sessions.sql.revisions import _0001_turns as step


def test_it_makes_the_table() -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        step.upgrade()
        found = inspect(connection)
        assert found.get_table_names() == ["finalturn_turns"]
        assert [column["name"] for column in found.get_columns("finalturn_turns")] == [
            "session", "version", "saved", "messages",
        ]  # fmt: skip
        assert found.get_pk_constraint("finalturn_turns")["constrained_columns"] == ["session", "version"]
    engine.dispose()
    assert (step.revision, step.down_revision) == ("0001", None)
