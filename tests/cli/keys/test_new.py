"""Making a key."""

from __future__ import annotations

import stat
from io import StringIO
from pathlib import Path

import pytest
from starlette.requests import Request

from finalturn._cli.keys import new as _new
from finalturn._cli.keys import run_new
from finalturn.serve import ApiKeys
from tests.cli._command import run


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


def test_from_a_shell(tmp_path: Path) -> None:
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

    monkeypatch.setattr(_new, "append_line", append_line)
    code, out, err = made("alice", tmp_path / "keys.txt")
    assert (code, out) == (2, "") and err.endswith("it cannot be written: No space left on device\n")
