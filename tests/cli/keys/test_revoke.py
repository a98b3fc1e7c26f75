"""Taking keys out."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from finalturn._cli.keys import revoke as _revoke
from finalturn._cli.keys import run_revoke
from tests.cli._command import run

OLD, NEW, BOB = (
    f"{name} sha256:{pair * 32}" for name, pair in (("alice", "0f"), ("alice", "2d"), ("bob", "1e"))
)
TEXT = f"# mine\n{OLD}\n{BOB}\n{NEW}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "keys.txt"
    path.write_text(TEXT)
    return path


def test_all_keys_of_a_name_go(path: Path) -> None:
    done = run("keys", "revoke", "alice", "--file", str(path))
    assert (done.returncode, done.stdout) == (0, b"0f0f0f0f  alice\n2d2d2d2d  alice\n")
    assert done.stderr == b"Revoked. A server that is running takes them until it is restarted.\n"
    assert path.read_text() == f"# mine\n{BOB}\n"


def test_one_key_of_a_name_goes(path: Path) -> None:
    done = run("keys", "revoke", "alice", "--only", "0f0f0f0f", "--file", str(path))
    assert (done.returncode, done.stdout) == (0, b"0f0f0f0f  alice\n")
    assert path.read_text() == f"# mine\n{BOB}\n{NEW}\n"


@pytest.mark.parametrize(
    ("name", "only"),
    [
        ("eve", None),
        ("ali", None),
        ("", None),
        ("alice", "1e1e1e1e"),
        ("alice", ""),
        ("alice", "0f"),
        ("secret", None),
    ],
)
def test_nothing_to_revoke_is_an_error(path: Path, name: str, only: str | None) -> None:
    out, err = StringIO(), StringIO()
    assert run_revoke(name, str(path), out, err, only=only) == 2
    assert out.getvalue() == "" and path.read_text() == TEXT
    assert "no such key; finalturn keys list shows what there is" in err.getvalue()
    assert "secret" not in err.getvalue()


def test_a_file_that_cannot_be_changed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_without(path: Path, text: str, numbers: set[int]) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(_revoke, "write_without", write_without)
    out, err = StringIO(), StringIO()
    assert run_revoke("alice", str(path), out, err) == 2
    assert run_revoke("alice", f"{path}.old", out, err) == 2
    assert out.getvalue() == ""
    unwritable, missing = err.getvalue().splitlines()
    assert unwritable == f"Error: {path}: it cannot be written: Read-only file system"
    assert missing == f"Error: {path}.old: there is no such file"
