"""``python -m tools.pythons TEST...``: these tests on every other Python that finalturn is for.

Only ``make test`` proves a version, and it runs on one. The quick tests are the part of it that a version can
break by itself; they take a minute or two on each. Whoever changes what they do not touch, such as a server's
connections, runs ``make test`` under that Python too.

Each interpreter that uv finds here gets an environment of its own. What is not here is said, and no failure.
The versions are those that pyproject.toml names.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venv-pythons"

WITHIN = 600.0
"""Seconds, for each step."""

_CLASSIFIER = re.compile(r'"Programming Language :: Python :: (3\.\d+)"')


def versions(pyproject: str) -> list[str]:
    """The versions of Python that finalturn is for, such as ``3.12``."""
    return _CLASSIFIER.findall(pyproject)


def make(version: str, folder: Path) -> None:
    """An environment with what the tests need.

    Raises:
        LookupError: there is no such interpreter; it says why.
        subprocess.SubprocessError: it could not be made.
    """
    # Behind the commands of pyenv stand only the versions that are chosen.
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin")
    environment = {**os.environ, "PATH": os.pathsep.join([*map(str, pyenv), os.environ.get("PATH", "")])}
    options = ("--quiet", "--clear", "--no-project", "--no-python-downloads", "--python", version)
    made = _said([sys.executable, "-m", "uv", "venv", *options, str(folder)], environment)
    if made.returncode:
        raise LookupError(made.stderr.strip().splitlines()[0] if made.stderr else "uv says nothing")
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", "--quiet"]
    requirements = "-r", str(ROOT / "requirements" / "dev.txt")
    for given in (requirements, ("--no-deps", "--no-build-isolation", "--editable", str(ROOT))):
        subprocess.run([*pip, *given], check=True, cwd=ROOT, timeout=WITHIN)


def test(folder: Path, tests: Sequence[str]) -> bool:
    """Run the tests there, and see that what is generated is what this Python generates."""
    inside = str(folder / "bin" / "python")
    # The environment is active: it is what programs that are started find.
    environment = {**os.environ, "VIRTUAL_ENV": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    pytest = [inside, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--numprocesses=2", *tests]
    if subprocess.run(pytest, check=False, cwd=ROOT, env=environment, timeout=WITHIN).returncode:
        return False
    digests = "-m", "tools.contractdocs", "digests"
    here, there = (_said([python, *digests]) for python in (sys.executable, inside))
    if (here.stdout, here.stderr) != (there.stdout, there.stderr):
        print("it generates other documents than the Python that runs this: make docs shows them")
        return False
    return True


def outcomes(wanted: Sequence[str], tests: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """What came of each version: the version, a sentence, and whether that is a failure."""
    for version in wanted:
        print(f"--- Python {version}", flush=True)
        folder = FOLDER / version
        try:
            make(version, folder)
            passed = test(folder, tests)
        except LookupError as missing:
            yield version, f"not run: {missing}", False
            continue
        except subprocess.SubprocessError as error:
            yield version, f"failed: {error}", True
            continue
        yield version, "the quick tests pass" if passed else "failed", not passed


def main(tests: Sequence[str]) -> int:
    """Run the tests, and say of each version what came of it."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = [one for one in versions((ROOT / "pyproject.toml").read_text(encoding="utf-8")) if one != own]
    found = list(outcomes(wanted, tests))
    print(f"Python {own}: make test runs on it")
    for version, what, _ in found:
        print(f"Python {version}: {what}")
    return int(any(failed for _, _, failed in found))


def _said(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=WITHIN
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
