"""A database that cannot be used is one line, and exit code 2."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from finalturn._cli.sessions import run_list, run_migrate


@pytest.mark.parametrize(
    ("database", "words"),
    [
        ("mysql://user:secret@host/name", "SQLSessions keeps sessions in SQLite"),
        ("postgresql://user:secret@127.0.0.1:1/name", "could not be brought up to date (OperationalError)"),
        ("nowhere/x.db", "the SQLite file cannot be opened"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = io.StringIO(), io.StringIO()
    assert run_migrate(database, out, err) == 2
    assert words in err.getvalue() and "secret" not in err.getvalue()
    assert out.getvalue() == "" and err.getvalue().count("\n") == 1


def test_looking_makes_no_file(tmp_path: Path) -> None:
    err = io.StringIO()
    assert run_list(str(tmp_path / "x.db"), io.StringIO(), err) == 2
    assert err.getvalue() == "there is no SQLite file x.db; name the database with --sessions\n"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("no database " * 1000)
    err = io.StringIO()
    assert run_list(str(tmp_path / "x.db"), io.StringIO(), err) == 2
    why = "the sessions could not be listed: the file is no SQLite database"
    assert err.getvalue() == f"{tmp_path / 'x.db'}: {why}\n"
