"""``tools.pythons``: what it installs for which version, and what it says of those that are not here."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools import pythons
from tools.pythons import outcomes, versions


def test_the_versions_are_those_that_the_project_names() -> None:
    text = (pythons.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert versions(text)[:3] == ["3.11", "3.12", "3.13"]


class Commands:
    """Notes what is run in place of running it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, why_not: str = "") -> None:
        self.given: list[list[str]] = []
        self.path = ""
        self._why_not = why_not
        monkeypatch.setattr(subprocess, "run", self)

    def __call__(self, command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        self.given.append(command)
        if command[2] == "uv":
            self.path = more["env"]["PATH"]
            return subprocess.CompletedProcess(command, bool(self._why_not), "", self._why_not)
        assert more["check"]
        return subprocess.CompletedProcess(command, 0)


def test_an_environment_of_the_version_gets_what_the_tests_need(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("3.1.4", "3.12.1", "3.12.4"):
        (tmp_path / "versions" / name / "bin").mkdir(parents=True)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", "/bin")
    commands = Commands(monkeypatch)
    pythons.make("3.12", tmp_path / "there")
    made, *installed = commands.given
    assert made[-2:] == ["3.12", str(tmp_path / "there")]
    assert "--no-python-downloads" in made
    *kept, last = commands.path.split(os.pathsep)
    assert last == "/bin"
    assert sorted(Path(folder).parent.name for folder in kept) == ["3.12.1", "3.12.4"]
    assert all(str(tmp_path / "there") in command for command in installed)
    assert [command[-1] for command in installed] == [
        str(pythons.ROOT / "requirements" / "dev.txt"),
        str(pythons.ROOT),
    ]


def test_an_interpreter_that_is_not_here_is_told_in_the_words_of_uv(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands = Commands(monkeypatch, "error: No interpreter found for Python 3.12\n\nhint: install it\n")
    with pytest.raises(LookupError, match=r"^error: No interpreter found for Python 3\.12$"):
        pythons.make("3.12", tmp_path)
    assert len(commands.given) == 1


def test_what_came_of_each_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def make(version: str, folder: Path) -> None:
        if version == "3.13":
            raise LookupError("it is not here")
        made.append(folder.name)
        if version == "3.14":
            raise subprocess.TimeoutExpired("pip", 5)

    monkeypatch.setattr(pythons, "make", make)
    monkeypatch.setattr(pythons, "test", lambda folder, tests: tests == ["tests/x"] and folder.name != "3.12")
    assert list(outcomes(["3.11", "3.12", "3.13", "3.14"], ["tests/x"])) == [
        ("3.11", "the quick tests pass", False),
        ("3.12", "failed", True),
        ("3.13", "not run: it is not here", False),
        ("3.14", "failed: Command 'pip' timed out after 5 seconds", True),
    ]
    assert made == ["3.11", "3.12", "3.14"]


def test_the_quick_tests_are_there() -> None:
    makefile = (pythons.ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    (quick,) = re.findall(r"^QUICK := (.+)$", makefile, re.MULTILINE)
    assert [name for name in quick.split() if not (pythons.ROOT / name).exists()] == []
    assert "tests/core" in quick.split()
