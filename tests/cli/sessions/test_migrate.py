"""The schema, made by hand."""

from __future__ import annotations

from pathlib import Path

from tests.cli._command import run


def test_it_is_made_once_and_nothing_else_is_said(tmp_path: Path) -> None:
    first = run("sessions", "migrate", cwd=tmp_path)
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == b"the schema was brought up to date\n"
    assert run("sessions", "migrate", cwd=tmp_path).stdout == b"the schema is up to date\n"
    assert (tmp_path / "finalturn.db").exists()
