"""``tools.pythons``: which interpreters it finds, and what it says of those that it does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools import pythons
from tools.pythons import find, outcomes, versions

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs shell scripts")


def program(folder: Path, name: str, script: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)


def works(version: str, path: str) -> str:
    return f'echo "{version} {path}"'


def test_the_versions_are_those_that_the_project_names() -> None:
    text = (pythons.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert versions(text)[:3] == ["3.11", "3.12", "3.13"]


def test_one_on_the_path_is_taken(tmp_path: Path) -> None:
    program(tmp_path, "python3.12", works("3.12", "/opt/python3.12"))
    assert find("3.12", str(tmp_path)) == "/opt/python3.12"


def test_there_may_be_none(tmp_path: Path) -> None:
    with pytest.raises(LookupError, match=r"^there is no python3\.12 on the PATH$"):
        find("3.12", str(tmp_path))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'pyenv: python3.12: command not found' >&2; exit 127", "pyenv: python3.12: command not found"),
        (
            "echo \"ModuleNotFoundError: No module named 'ensurepip'\" >&2; exit 1",
            "ModuleNotFoundError: No module named 'ensurepip'",
        ),
        (works("3.10", "/opt/python3.12"), "3.10 /opt/python3.12"),
        ("exit 1", "it says nothing"),
    ],
    ids=["shim", "no venv", "another version", "silent"],
)
def test_one_that_does_not_work_is_none(tmp_path: Path, script: str, why: str) -> None:
    program(tmp_path, "python3.12", script)
    with pytest.raises(LookupError) as missing:
        find("3.12", str(tmp_path))
    assert str(missing.value) == f"{tmp_path}/python3.12 does not work: {why}"


def test_behind_a_shim_pyenv_has_what_is_installed(tmp_path: Path) -> None:
    for folder, script in {
        "shims": "exit 127",
        "versions/3.12.1/bin": "exit 1",
        "versions/3.12.4/bin": works("3.12", "/opt/3.12.4/python3.12"),
    }.items():
        (tmp_path / folder).mkdir(parents=True)
        program(tmp_path / folder, "python3.12", script)
    assert find("3.12", str(tmp_path / "shims")) == "/opt/3.12.4/python3.12"


class Machine:
    """What is there, and what is done with it, in place of the real ones."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, there: dict[str, str], *, debian: bool = False
    ) -> None:
        self.there = there
        self.debian = debian
        self.made: list[str] = []
        for name in ("find", "install", "make", "test"):
            monkeypatch.setattr(pythons, name, getattr(self, name))

    def find(self, version: str, path: str) -> str:
        if version not in self.there:
            raise LookupError("it is not here")
        return self.there[version]

    def install(self, version: str) -> bool:
        self.there |= {version: f"/usr/bin/python{version}"} if self.debian else {}
        return self.debian

    def make(self, python: str, folder: Path) -> None:
        self.made.append(f"{python} {folder.name}")
        if folder.name == "3.14":
            raise subprocess.TimeoutExpired("pip", 5)

    def test(self, folder: Path) -> bool:
        return folder.name != "3.12"


def test_what_came_of_each_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, {version: f"/opt/python{version}" for version in ("3.11", "3.12", "3.14")})
    assert list(outcomes(["3.11", "3.12", "3.13", "3.14"])) == [
        ("3.11", "the quick tests pass", False),
        ("3.12", "failed", True),
        ("3.13", "not run: it is not here", False),
        ("3.14", "failed: Command 'pip' timed out after 5 seconds", True),
    ]
    assert machine.made == ["/opt/python3.11 3.11", "/opt/python3.12 3.12", "/opt/python3.14 3.14"]


def test_what_debian_has_is_installed_and_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(monkeypatch, {}, debian=True)
    assert list(outcomes(["3.13"])) == [("3.13", "the quick tests pass", False)]
    assert machine.made == ["/usr/bin/python3.13 3.13"]


def test_the_quick_tests_are_there() -> None:
    names = [name for names in pythons.QUICK.values() for name in names]
    assert [name for name in names if not (pythons.ROOT / "tests" / name).exists()] == []
