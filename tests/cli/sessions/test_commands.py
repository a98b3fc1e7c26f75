"""``finalturn sessions``: list, export, import and migrate."""

from __future__ import annotations

import io
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from finalturn._cli.sessions import run_export, run_import, run_list, run_migrate
from tests.cli._command import invoke, run
from tests.cli._database import fill


@pytest.mark.parametrize(
    ("database", "words"),
    [
        ("mysql://user:secret@host/name", "SQLSessions keeps sessions in SQLite"),
        ("postgresql://user:secret@127.0.0.1:1/name", "could not be brought up to date (OperationalError)"),
        ("nowhere/x.db", "the SQLite file cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_used_is_one_line_and_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    out, err = io.StringIO(), io.StringIO()
    assert run_migrate(database, out, err) == 2
    assert words in err.getvalue() and "secret" not in err.getvalue()
    assert out.getvalue() == "" and err.getvalue().count("\n") == 1


def test_list_makes_no_file(tmp_path: Path) -> None:
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


def test_list_writes_a_line_for_each_session(tmp_path: Path) -> None:
    fill(str(tmp_path / "finalturn.db"), "b", "a", "key:c")
    done = invoke("sessions", "list", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    lines = [line.split("\t") for line in done.stdout.decode().splitlines()]
    assert [line[:2] for line in lines] == [["a", "2"], ["b", "2"], ["key:c", "2"]]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", line[2]) for line in lines)


def test_list_takes_the_database_and_a_prefix_of_sessions(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/x.db"
    fill(url, "key:c", "d", turns=1)
    done = invoke("sessions", "list", "--prefix", "key:", FINALTURN_SESSIONS=url)
    assert done.stdout.decode().split("\t")[:2] == ["key:c", "1"]
    assert invoke("sessions", "list", "--sessions", url).stdout.count(b"\n") == 2


def test_export_writes_a_line_for_each_turn(tmp_path: Path) -> None:
    fill(str(tmp_path / "finalturn.db"), "b", "a")
    done = invoke("sessions", "export", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    turns = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(turn["session"], turn["version"]) for turn in turns] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert turns[0]["messages"][1] == {"role": "assistant", "content": "höllo\n"}
    assert list(turns[0]) == ["session", "version", "saved", "messages"]


def test_a_damaged_turn_ends_an_export(tmp_path: Path) -> None:
    file = tmp_path / "x.db"
    fill(str(file), "a", "b")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE finalturn_turns SET messages = '[secret' WHERE session = 'b'")
    out, err = io.StringIO(), io.StringIO()
    assert run_export(str(file), out, err) == 2
    assert out.getvalue().count("\n") == 2
    assert err.getvalue().startswith(f"{file}: turn 1 of session 'b' is damaged, or of a newer version")
    assert "secret" not in err.getvalue()


def test_export_takes_a_prefix_of_sessions(tmp_path: Path) -> None:
    fill(str(tmp_path / "x.db"), "key:a", "b")
    out = io.StringIO()
    assert run_export(str(tmp_path / "x.db"), out, io.StringIO(), prefix="key:") == 0
    assert {json.loads(line)["session"] for line in out.getvalue().splitlines()} == {"key:a"}


def export(database: Path) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert run_export(str(database), out, err) == 0, err.getvalue()
    return out.getvalue()


def test_an_export_can_be_imported_and_exported_the_same(tmp_path: Path) -> None:
    fill(str(tmp_path / "a.db"), "s", "t")
    (tmp_path / "lines").write_text(export(tmp_path / "a.db"), encoding="utf-8")
    done = invoke("sessions", "import", "lines", "--sessions", "b.db", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"imported 2 sessions, 4 turns\n", b"")
    assert export(tmp_path / "b.db") == export(tmp_path / "a.db")


def test_an_export_can_be_imported_from_a_pipe(tmp_path: Path) -> None:
    fill(str(tmp_path / "a.db"), "s", turns=1)
    lines = export(tmp_path / "a.db").encode()
    done = invoke("sessions", "import", "-", "--sessions", "b.db", stdin=lines, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"imported 1 session, 1 turn\n")


def test_sessions_that_cannot_be_imported_are_named(tmp_path: Path) -> None:
    fill(str(tmp_path / "a.db"), "s", "t", "u")
    lines = export(tmp_path / "a.db").splitlines()
    (tmp_path / "lines").write_text("\n".join([*lines[:3], lines[3].replace("role", "rule"), *lines[4:]]))
    fill(str(tmp_path / "b.db"), "u")
    out, err = io.StringIO(), io.StringIO()
    assert run_import(str(tmp_path / "b.db"), str(tmp_path / "lines"), out, err) == 1
    assert out.getvalue() == "imported 1 session, 2 turns\n"
    assert err.getvalue().splitlines() == [
        "line 4: session t was not imported: messages[0].rule: is not a field of Message",
        "line 5: session u was not imported: the session exists already",
    ]


def test_a_line_that_names_no_session_stops_the_import(tmp_path: Path) -> None:
    fill(str(tmp_path / "a.db"), "s", "t")
    (tmp_path / "lines").write_text(export(tmp_path / "a.db")[:-9])
    out, err = io.StringIO(), io.StringIO()
    assert run_import(str(tmp_path / "b.db"), str(tmp_path / "lines"), out, err) == 1
    assert out.getvalue() == "imported 0 sessions, 0 turns\n"
    assert err.getvalue().splitlines() == [
        "line 4: it is not one JSON value",
        "Nothing was imported: a line that names no session may belong to any.",
    ]


@pytest.mark.parametrize("name", ["nothing", "."])
def test_importing_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    assert run_import(str(tmp_path / "b.db"), str(tmp_path / name), out, err) == 2
    assert err.getvalue().startswith(f"{tmp_path / name}: ")
    assert not (tmp_path / "b.db").exists()


def test_migrate_makes_the_schema_once_and_says_nothing_else(tmp_path: Path) -> None:
    first = run("sessions", "migrate", cwd=tmp_path)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == b"the schema was brought up to date\n"
    assert invoke("sessions", "migrate", cwd=tmp_path).stdout == b"the schema is up to date\n"
    assert (tmp_path / "finalturn.db").exists()
