"""Migrates the schema of a database: reads its revision, and upgrades it to the newest."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, String, Table, func, inspect, select

from finalturn._core.errors import ConfigurationError

__all__ = ["PACKAGED", "Revisions", "begin", "lock_key", "revision_of", "upgrade"]

_REVISION = Table("finalturn_schema", MetaData(), Column("version_num", String(32)))


@dataclass(frozen=True, slots=True)
class Revisions:
    """The steps of the schema.

    Attributes:
        head: the newest. The ids of revisions are digits and compare as text.
        folders: where their modules are.
    """

    head: str
    folders: tuple[Path, ...]


# The head stands here too, so that a database that has it is used without loading Alembic.
PACKAGED = Revisions("0001", (Path(__file__).with_name("revisions"),))


def revision_of(connection: Connection) -> str | None:
    """The revision of the database's schema; ``None`` when it has none yet."""
    if not inspect(connection).has_table(_REVISION.name):
        return None
    return connection.execute(select(_REVISION.c.version_num)).scalar()


def upgrade(connection: Connection, revisions: Revisions = PACKAGED) -> bool:
    """Bring the schema up to date, in the connection's transaction, alone: other processes wait.

    Returns:
        Whether anything was to be done.

    Raises:
        ConfigurationError: a newer version of finalturn has been at it.
    """
    _lock(connection)
    current = revision_of(connection)
    if current == revisions.head:
        return False
    if current is not None and current > revisions.head:
        raise ConfigurationError(
            f"the database has revision {current} of the schema, and this version of finalturn knows no more"
            f" than {revisions.head}: upgrade finalturn"
        )
    _run(connection, current, revisions)
    return True


def _run(connection: Connection, current: str | None, revisions: Revisions) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(revisions.folders[0]), version_locations=list(revisions.folders))
    steps = list(scripts.iterate_revisions(revisions.head, current or "base"))
    context = MigrationContext.configure(connection, opts={"version_table": _REVISION.name})
    with Operations.context(context):
        for step in reversed(steps):
            step.module.upgrade()
            context.stamp(scripts, step.revision)


def _lock(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(lock_key("schema"))))
        return
    begin(connection, "IMMEDIATE")


def begin(connection: Connection, kind: str) -> None:
    """Begin a transaction of SQLite here and now: by itself Python does so at the first row written.

    Args:
        connection: to SQLite.
        kind: ``"IMMEDIATE"`` keeps other writers out, ``"DEFERRED"`` does not.
    """
    # An engine of the user's may have begun one itself. Then a migration is not kept apart from another
    # process's: the one that comes second fails, and nothing is harmed.
    driver = connection.connection.driver_connection
    if not getattr(driver, "in_transaction", False):
        connection.exec_driver_sql(f"BEGIN {kind}")


def lock_key(name: str) -> int:
    """The key of an advisory lock of PostgreSQL: 64 bits with a sign."""
    digest = blake2b(name.encode(), digest_size=8, person=b"finalturn").digest()
    return int.from_bytes(digest, signed=True)
