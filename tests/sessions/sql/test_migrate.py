"""The schema of a database, and its way to the newest."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, make_url

from finalturn import ConfigurationError
from finalturn._sessions.sql.migrate import PACKAGED, Revisions, begin, lock_key, revision_of, upgrade
from finalturn._sessions.sql.table import METADATA, append_turn
from tests.sessions._times import NOW


@pytest.fixture
def engine(database: str) -> Iterator[Engine]:
    url = make_url(database)
    made = create_engine(url if url.drivername == "sqlite" else url.set(drivername="postgresql+psycopg"))
    yield made
    made.dispose()


def test_what_migrations_make_is_what_the_code_expects(engine: Engine) -> None:
    with engine.begin() as connection:
        assert revision_of(connection) is None
        assert upgrade(connection) is True
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "finalturn_schema"})
        assert compare_metadata(context, METADATA) == []
        assert revision_of(connection) == PACKAGED.head
        assert context.get_current_heads() == (PACKAGED.head,)


def test_a_second_time_there_is_nothing_to_do(engine: Engine) -> None:
    for expected in (True, False):
        with engine.begin() as connection:
            assert upgrade(connection) is expected


def test_the_newest_revision_is_the_one_that_the_code_names() -> None:
    scripts = ScriptDirectory(str(PACKAGED.folders[0]), version_locations=list(PACKAGED.folders))
    assert scripts.get_heads() == [PACKAGED.head]
    ids = [script.revision for script in scripts.walk_revisions()]
    assert all(one.isdigit() and len(one) == 4 for one in ids) and ids == sorted(ids, reverse=True)


@pytest.fixture
def with_second(tmp_path: Path) -> Revisions:
    folder = tmp_path / "later"
    folder.mkdir()
    text = """
        import sqlalchemy as sa
        from alembic import op
        revision, down_revision = "0002", "0001"
        def upgrade():
            op.add_column("finalturn_turns", sa.Column("note", sa.Text, server_default="none"))
            op.execute("UPDATE finalturn_turns SET note = 'old'")
    """
    (folder / "second.py").write_text(dedent(text))
    return Revisions("0002", (*PACKAGED.folders, folder))


def test_a_database_with_data_gets_the_next_revision(engine: Engine, with_second: Revisions) -> None:
    with engine.begin() as connection:
        upgrade(connection)
        connection.execute(append_turn("s", 0, NOW, '[{"role":"user"}]'))
    with engine.begin() as connection:
        assert upgrade(connection, with_second) is True
    with engine.connect() as connection:
        assert revision_of(connection) == "0002"
        rows = connection.exec_driver_sql("SELECT session, version, messages, note FROM finalturn_turns")
        assert [tuple(row) for row in rows] == [("s", 1, '[{"role":"user"}]', "old")]


def test_one_without_data_gets_all_of_them(engine: Engine, with_second: Revisions) -> None:
    with engine.begin() as connection:
        assert upgrade(connection, with_second) is True
        assert revision_of(connection) == "0002"


def test_one_of_a_newer_version_is_refused(engine: Engine, with_second: Revisions) -> None:
    with engine.begin() as connection:
        upgrade(connection, with_second)
    with (
        engine.begin() as connection,
        pytest.raises(ConfigurationError, match=r"has revision 0002 .* no more than 0001: upgrade finalturn"),
    ):
        upgrade(connection)


def test_a_migration_that_breaks_off_leaves_nothing(engine: Engine, with_second: Revisions) -> None:
    broken = with_second.folders[1] / "second.py"
    broken.write_text(broken.read_text() + '    raise ValueError("broken")\n')
    with engine.connect() as connection:
        with pytest.raises(ValueError, match="broken"), connection.begin():
            upgrade(connection, with_second)
        assert revision_of(connection) is None
        assert inspect(connection).get_table_names() == []


def test_nothing_is_printed_and_logging_is_left_alone(
    engine: Engine, capfd: pytest.CaptureFixture[str]
) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogger("alembic").level)
    with engine.begin() as connection:
        upgrade(connection)
    assert (list(root.handlers), root.level, logging.getLogger("alembic").level) == before
    assert capfd.readouterr() == ("", "")


def test_a_transaction_is_begun_once() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        begin(connection, "DEFERRED")
        begin(connection, "IMMEDIATE")
        connection.rollback()
    engine.dispose()


def test_a_key_is_a_number_of_64_bits_that_stays() -> None:
    assert lock_key("schema") == lock_key("schema") != lock_key("session s")
    assert all(-(2**63) <= lock_key(str(number)) < 2**63 for number in range(100))
