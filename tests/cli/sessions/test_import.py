"""JSON Lines back into a database."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from finalturn._cli.sessions import run_export, run_import
from tests.cli._command import run
from tests.cli._database import fill


def export(database: Path) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert run_export(str(database), out, err) == 0, err.getvalue()
    return out.getvalue()


def test_what_went_out_comes_in(tmp_path: Path) -> None:
    fill(str(tmp_path / "a.db"), "s", "t")
    (tmp_path / "lines").write_text(export(tmp_path / "a.db"), encoding="utf-8")
    done = run("sessions", "import", "lines", "--sessions", "b.db", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"imported 2 sessions, 4 turns\n", b"")
    assert export(tmp_path / "b.db") == export(tmp_path / "a.db")


def test_through_a_pipe_too(tmp_path: Path) -> None:
    fill(str(tmp_path / "a.db"), "s", turns=1)
    lines = export(tmp_path / "a.db").encode()
    done = run("sessions", "import", "-", "--sessions", "b.db", stdin=lines, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"imported 1 session, 1 turn\n")


def test_what_did_not_go_in_is_named(tmp_path: Path) -> None:
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


def test_a_line_that_names_no_session_keeps_all_out(tmp_path: Path) -> None:
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
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    out, err = io.StringIO(), io.StringIO()
    assert run_import(str(tmp_path / "b.db"), str(tmp_path / name), out, err) == 2
    assert err.getvalue().startswith(f"{tmp_path / name}: ")
    assert not (tmp_path / "b.db").exists()
