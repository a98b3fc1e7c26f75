"""``make pythons``: the quick tests on each version, and what it says of those that are not here."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")

PYTHON = """\
#!/bin/sh
case "$*" in
*"uv python find"*3.97) echo "no interpreter for 3.97" >&2; exit 2 ;;
*"uv venv"*)
    for folder; do :; done
    mkdir -p "$folder/bin"
    cat >"$folder/bin/python" <<'END'
#!/bin/sh
echo "in $VIRTUAL_ENV: $*"
[ "${VIRTUAL_ENV##*/}" != "$BAD" ]
END
    chmod +x "$folder/bin/python" ;;
-c*) echo 3.96 ;;
esac
"""
"""Answers as Python, pip and uv do."""


def listed(name: str) -> list[str]:
    """The words of a variable of the Makefile."""
    (words,) = re.findall(rf"^{name} := (.+)$", MAKEFILE, re.MULTILINE)
    return str(words).split()


def test_the_versions_are_those_that_the_project_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert listed("PYTHONS") == named


def test_the_quick_tests_are_there() -> None:
    quick = listed("QUICK")
    assert [name for name in quick if not (ROOT / name).exists()] == []
    assert "tests/core" in quick


@pytest.mark.parametrize(("bad", "code"), [("none", 0), ("3.98", 2)])
def test_a_version_fails_by_its_tests_and_not_because_it_is_not_here(
    bad: str, code: int, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(PYTHON)
    python.chmod(0o755)
    given = [f"PYTHON_IN={python}", f"PYTHONS_IN={tmp_path}/made", "PYTHONS=3.96 3.97 3.98 3.99"]
    run = subprocess.run(
        ["make", "--silent", "--assume-old", ".venv/.dev", "pythons", *given],
        cwd=ROOT,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | {"BAD": bad},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == code, run.stdout
    assert "--- Python 3.96\nmake test runs on it\n" in run.stdout
    assert "no interpreter for 3.97" in run.stdout
    assert f"in {tmp_path}/made/3.98: -m pytest" in run.stdout
    assert f"in {tmp_path}/made/3.99: -m pytest" in run.stdout
    assert ("The quick tests fail on Python 3.98\n" in run.stdout) == bool(code)
