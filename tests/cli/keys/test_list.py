"""Listing keys."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from finalturn._cli.keys import run_list
from tests.cli._command import run

TEXT = f"# mine\nbob sha256:{'1e' * 32}\n\nalice sha256:{'0f' * 32}\nbob sha256:{'2d' * 32}\n"


def test_every_key_is_a_line(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(TEXT)
    path.chmod(0o600)
    done = run("keys", "list", "--file", str(path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"1e1e1e1e  bob\n0f0f0f0f  alice\n2d2d2d2d  bob\n"


def test_others_that_can_open_the_file_are_warned_of(tmp_path: Path) -> None:
    path, out, err = tmp_path / "keys.txt", StringIO(), StringIO()
    path.write_text(TEXT)
    path.chmod(0o640)
    assert run_list(str(path), out, err) == 0
    assert err.getvalue() == f"Warning: others can open {path}; run chmod 600 {path}\n"


def test_a_file_that_cannot_be_listed(tmp_path: Path) -> None:
    path, out, err = tmp_path / "keys.txt", StringIO(), StringIO()
    assert run_list(str(path), out, err) == 2
    path.write_text("alice finalturn_secret\n")
    assert run_list(str(path), out, err) == 2
    missing, malformed = err.getvalue().splitlines()
    assert missing == f"Error: {path}: there is no such file"
    assert malformed.startswith(f"Error: {path}: line 1 is malformed") and "finalturn_secret" not in malformed
    assert out.getvalue() == ""
