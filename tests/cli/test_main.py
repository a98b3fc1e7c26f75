"""The entry point, as a process: with the extra and without it, in every encoding."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

import finalturn
from finalturn._cli import main
from tests.cli._command import ROOT, environment, run

pytestmark = pytest.mark.processes


def test_the_console_script_and_the_module_are_one() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["scripts"] == {"finalturn": f"{main.__module__.rpartition('.')[0]}:{main.__name__}"}
    assert run("--version").stdout.decode().strip() == f"finalturn {finalturn.__version__}"


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_it_says_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from finalturn._cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=False,
        env=environment(),
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "pip install 'finalturn[cli]'" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_every_encoding_will_do(encoding: str) -> None:
    done = run("demo", "--no-model", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert done.returncode == 0, done.stderr.decode()
    assert ("✓" if encoding == "utf-8" else "[ok]") in done.stdout.decode(encoding)


def test_importing_the_entry_point_loads_nothing_of_the_extra() -> None:
    code = "import sys, finalturn._cli; print([n for n in ('rich', 'typer') if n in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env=environment(),
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == "[]"
