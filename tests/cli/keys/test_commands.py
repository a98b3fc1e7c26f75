"""``finalturn keys``: new, list and revoke."""

from __future__ import annotations

import stat
from io import StringIO
from pathlib import Path

import pytest
from starlette.requests import Request

from finalturn._cli.keys import commands, run_list, run_new, run_revoke
from finalturn.serve import ApiKeys
from tests.cli._command import invoke, run


def made(name: str, path: Path) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    return run_new(name, str(path), out, err), out.getvalue(), err.getvalue()


def owner(path: Path, key: str) -> str | None:
    headers = [(b"authorization", f"Bearer {key}".encode())]
    return ApiKeys.from_file(path)(Request({"type": "http", "headers": headers}))


def test_the_key_is_printed_alone_and_the_server_knows_it(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    keys: list[str] = []
    for name in ("alice", "bob", "alice"):
        code, out, err = made(name, path)
        keys.append(out.strip())
        assert (code, out) == (0, f"{keys[-1]}\n")
        assert err == f"Added to {path}. The key is shown only now: {path} holds its digest alone.\n"
    assert [owner(path, key) for key in keys] == ["alice", "bob", "alice"]
    text = path.read_text()
    assert not any(key in text for key in keys)


def test_a_key_can_be_made_from_a_shell(tmp_path: Path) -> None:
    done = run("keys", "new", "alice", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert owner(tmp_path / "keys.txt", done.stdout.decode().strip()) == "alice"
    assert stat.S_IMODE((tmp_path / "keys.txt").stat().st_mode) == 0o600


def test_others_that_can_open_the_file_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text("")
    path.chmod(0o644)
    code, _, err = made("alice", path)
    assert code == 0 and f"Warning: others can open {path}" in err


@pytest.mark.parametrize("name", ["", "a b", "a:b", "#", "é"])
def test_a_name_that_is_not_allowed_leaves_no_file(tmp_path: Path, name: str) -> None:
    code, out, err = made(name, tmp_path / "keys.txt")
    assert (code, out) == (2, "") and "1 to 64 ASCII letters" in err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_key_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("# keys\nremember the milk\n")
    code, out, err = made("alice", path)
    assert (
        (code, out) == (2, "") and err.startswith(f"Error: {path}: line 2 is malformed") and "milk" not in err
    )
    assert path.read_text() == "# keys\nremember the milk\n"


def test_no_key_is_shown_that_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, err = made("alice", tmp_path / "nowhere" / "keys.txt")
    assert (code, out) == (2, "") and err.endswith("it cannot be written: No such file or directory\n")

    def append_line(path: Path, line: str, text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(commands, "append_line", append_line)
    code, out, err = made("alice", tmp_path / "keys.txt")
    assert (code, out) == (2, "") and err.endswith("it cannot be written: No space left on device\n")


LISTED = f"# mine\nbob sha256:{'1e' * 32}\n\nalice sha256:{'0f' * 32}\nbob sha256:{'2d' * 32}\n"


def test_list_writes_a_line_for_each_key(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(LISTED)
    path.chmod(0o600)
    done = invoke("keys", "list", "--file", str(path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"1e1e1e1e  bob\n0f0f0f0f  alice\n2d2d2d2d  bob\n"


def test_a_list_warns_of_others_that_can_open_the_file(tmp_path: Path) -> None:
    path, out, err = tmp_path / "keys.txt", StringIO(), StringIO()
    path.write_text(LISTED)
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


OLD, NEW, BOB = (
    f"{name} sha256:{pair * 32}" for name, pair in (("alice", "0f"), ("alice", "2d"), ("bob", "1e"))
)
TEXT = f"# mine\n{OLD}\n{BOB}\n{NEW}\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "keys.txt"
    path.write_text(TEXT)
    return path


def test_revoke_removes_all_keys_of_a_name(path: Path) -> None:
    done = invoke("keys", "revoke", "alice", "--file", str(path))
    assert (done.returncode, done.stdout) == (0, b"0f0f0f0f  alice\n2d2d2d2d  alice\n")
    assert done.stderr == b"Revoked. A server that is running takes them until it is restarted.\n"
    assert path.read_text() == f"# mine\n{BOB}\n"


def test_revoke_only_removes_one_key_of_a_name(path: Path) -> None:
    done = invoke("keys", "revoke", "alice", "--only", "0f0f0f0f", "--file", str(path))
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

    monkeypatch.setattr(commands, "write_without", write_without)
    out, err = StringIO(), StringIO()
    assert run_revoke("alice", str(path), out, err) == 2
    assert run_revoke("alice", f"{path}.old", out, err) == 2
    assert out.getvalue() == ""
    unwritable, missing = err.getvalue().splitlines()
    assert unwritable == f"Error: {path}: it cannot be written: Read-only file system"
    assert missing == f"Error: {path}.old: there is no such file"
