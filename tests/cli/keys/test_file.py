"""The key file on a disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from finalturn import ConfigurationError
from finalturn._cli.keys.file import append_line, read_file, short_digest, warn_of_readers, write_without

LINE = "alice sha256:" + "0f" * 32
OTHER = "bob sha256:" + "1e" * 32


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    before = os.umask(0)
    try:
        append_line(path, LINE, "")
    finally:
        os.umask(before)
    assert (path.read_text(), mode(path)) == (f"{LINE}\n", 0o600)
    assert warn_of_readers(path) is None


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o602, 0o644])
def test_a_file_that_others_can_open_is_warned_of_and_keeps_its_mode(tmp_path: Path, bits: int) -> None:
    path = tmp_path / "keys.txt"
    path.write_text("")
    path.chmod(bits)
    append_line(path, LINE, "")
    write_without(path, f"{LINE}\n", {1})
    assert (path.read_text(), mode(path)) == ("", bits)
    assert warn_of_readers(path) == f"Warning: others can open {path}; run chmod 600 {path}"


def test_lines_are_added_behind_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    for text in ("# mine\n", "# mine"):
        path.write_text(text)
        append_line(path, LINE, text)
        assert path.read_text() == f"# mine\n{LINE}\n"


def test_what_is_not_taken_out_stays_as_it_is(tmp_path: Path) -> None:
    target, path = tmp_path / "real.txt", tmp_path / "keys.txt"
    target.write_bytes(f"# mine\r\n{LINE}\r\n\n  {OTHER} # other\n{LINE}".encode())
    path.symlink_to(target)
    text, keys = read_file(path)
    assert [(key.number, key.name, short_digest(key)) for key in keys] == [
        (2, "alice", "0f0f0f0f"),
        (4, "bob", "1e1e1e1e"),
        (5, "alice", "0f0f0f0f"),
    ]
    write_without(path, text, {2, 5})
    assert target.read_bytes() == f"# mine\r\n\n  {OTHER} # other\n".encode()
    assert path.is_symlink() and sorted(one.name for one in tmp_path.iterdir()) == ["keys.txt", "real.txt"]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(LINE)

    def replace(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(OSError, match="No space"):
        write_without(path, LINE, {1})
    assert [one.read_text() for one in tmp_path.iterdir()] == [LINE]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    assert read_file(path, missing_ok=True) == ("", [])
    with pytest.raises(ConfigurationError, match=r"^there is no such file$"):
        read_file(path)
    with pytest.raises(ConfigurationError, match=r"^it cannot be read: Is a directory$"):
        read_file(tmp_path, missing_ok=True)
    path.write_bytes(b"\xff")
    with pytest.raises(ConfigurationError, match=r"^it is not UTF-8 text$"):
        read_file(path)
    path.write_text("# mine\nnonsense\n")
    with pytest.raises(ConfigurationError, match=r"^line 2 is malformed"):
        read_file(path)
