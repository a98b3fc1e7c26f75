"""``tools/venv.sh``: which Python it takes, and what it says when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "tools" / "venv.sh"

pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(sys.platform == "win32", reason="a shell script"),
]


def interpreter(folder: Path, name: str, *, version: str = "3.11", venv: bool = True) -> None:
    """A program that answers the script's questions as a Python of that kind would."""
    old = int(tuple(int(part) for part in version.split(".")) < (3, 11))
    program = folder / name
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in\n'
        f"*print*) echo {version} ;;\n"
        f"*sys.exit*) exit {old} ;;\n"
        f"*ensurepip*) exit {int(not venv)} ;;\n"
        f'*) echo "{name} $*" ;;\n'
        "esac\n",
        encoding="utf-8",
    )
    program.chmod(0o755)


def run(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(SCRIPT), "FOLDER"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(folder), **env},
        timeout=120,
    )


def test_the_usual_python_is_taken_when_it_is_new_enough(tmp_path: Path) -> None:
    interpreter(tmp_path, "python3", version="3.12")
    interpreter(tmp_path, "python3.14", version="3.14")
    assert run(tmp_path).stdout == "python3 -m venv FOLDER\n"


@pytest.mark.parametrize(("version", "venv"), [("3.9", True), ("3.13", False)])
def test_one_that_is_too_old_or_has_no_venv_module_is_passed_over(
    tmp_path: Path, version: str, venv: bool
) -> None:
    interpreter(tmp_path, "python3", version=version, venv=venv)
    interpreter(tmp_path, "python3.11")
    assert run(tmp_path).stdout == "python3.11 -m venv FOLDER\n"


def test_without_a_venv_module_one_line_names_the_package(tmp_path: Path) -> None:
    interpreter(tmp_path, "python3", version="3.11", venv=False)
    done = run(tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "install the Debian package python3-venv (or python3.11-venv)" in done.stderr


def test_without_a_new_enough_python_one_line_says_so(tmp_path: Path) -> None:
    interpreter(tmp_path, "python3", version="3.9")
    done = run(tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("finalturn needs Python 3.11 or newer (python3 is 3.9): ")


def test_without_any_python_one_line_says_so(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("finalturn needs Python 3.11 or newer: ")


def test_an_interpreter_can_be_named(tmp_path: Path) -> None:
    interpreter(tmp_path, "python3")
    interpreter(tmp_path, "mine", version="3.13")
    assert run(tmp_path, PYTHON=str(tmp_path / "mine")).stdout == "mine -m venv FOLDER\n"


def test_it_makes_a_real_environment(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "PYTHON": sys.executable}
    done = subprocess.run(["/bin/sh", str(SCRIPT), str(tmp_path / "v")], env=env, check=False, timeout=120)
    assert done.returncode == 0
    assert (tmp_path / "v" / "pyvenv.cfg").is_file()


def test_one_that_cannot_make_an_environment_after_all_is_passed_over(tmp_path: Path) -> None:
    interpreter(tmp_path, "python3", version="3.13")
    broken = (tmp_path / "python3").read_text(encoding="utf-8").replace('echo "python3 $*"', "exit 1")
    (tmp_path / "python3").write_text(broken, encoding="utf-8")
    (tmp_path / "rm").symlink_to("/bin/rm")
    assert run(tmp_path).returncode == 1
    interpreter(tmp_path, "python3.11")
    assert run(tmp_path).stdout == "python3.11 -m venv FOLDER\n"
