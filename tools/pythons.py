"""``python -m tools.pythons``: the quick tests on every other Python that finalturn is for.

Only ``make test`` proves a version, and it runs on one. The quick tests are the part of it that a version can
break by itself; they take a minute or two on each. Whoever changes what they do not touch, such as a server's
connections, runs ``make test`` under that Python too.

Each interpreter that is here, or that Debian has as a package, gets an environment of its own. What is not to
be had is said, and no failure. The versions are those that pyproject.toml names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".venv-pythons"

INSTALLED_WITHIN = 600.0
TESTED_WITHIN = 600.0
"""Seconds."""

QUICK = {
    "imports, typing and signatures at run time": (
        "test_imports.py",
        "test_init.py",
        "support/test_keywords.py",
        "support/test_public_home.py",
        "test_stability.py",
        "tools",
    ),
    "pydantic, and what it is given": (
        "test_response_format.py",
        "jsonschema",
    ),
    "the machine, the driver, asyncio and context variables": ("core", "agent", "adapters", "gates"),
    "a provider over HTTP": ("providers/http/test_transport.py", "providers/http/test_client.py"),
    "SQLite, and databases that are closed": ("sessions/sql/test_store.py", "sessions/test_memory.py"),
    "a server from its start to its end": (
        "serve/openapi/test_document.py",
        "serve/test_router.py",
        "cli/test_main.py",
        "cli/serve/test_serve.py",
    ),
    "a choice of the contract's proofs": ("contract/test_finalize.py", "contract/test_outcome.py"),
}
"""Of the tests, those that depend on the version, by what it is that does."""

_CHECK = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2], sys.executable)"
_CLASSIFIER = re.compile(r'"Programming Language :: Python :: (3\.\d+)"')


@dataclass(frozen=True)
class Missing:
    """An interpreter that is not to be had.

    Attributes:
        why: in words.
    """

    why: str


def versions(pyproject: str) -> list[str]:
    """The versions of Python that finalturn is for, such as ``3.12``."""
    return _CLASSIFIER.findall(pyproject)


def find(version: str, environment: Mapping[str, str] | None = None) -> str | Missing:
    """An interpreter of this version that can make environments: its path.

    A name on the PATH proves nothing: pyenv leaves commands there for versions that are not chosen, and
    Debian has interpreters without their module venv.
    """
    environment = os.environ if environment is None else environment
    name = f"python{version}"
    there = shutil.which(name, path=environment.get("PATH", ""))
    if there is None:
        return Missing(f"there is no {name} on the PATH")
    reasons: list[str] = []
    for path, more in ((there, {}), *_of_pyenv(name, environment)):
        done = _said([path, "-c", _CHECK], {**environment, **more})
        kind, _, executable = done.stdout.strip().partition(" ")
        if done.returncode == 0 and kind == version:
            return executable
        reasons.append((done.stderr.strip() or done.stdout.strip() or "it says nothing").splitlines()[-1])
    return Missing(f"{there} does not work: {reasons[-1]}")


def install(version: str) -> bool:
    """Install Debian's package of it, where there is one and this is allowed."""
    names = [f"python{version}", f"python{version}-venv"]
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = (
        ["apt-get", "update", "-qq"],
        ["apt-cache", "show", *names],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *names],
    )
    return not any(_said(command, environment, INSTALLED_WITHIN).returncode for command in commands)


def make(python: str, folder: Path) -> None:
    """An environment with what the tests need.

    Raises:
        subprocess.SubprocessError: it could not be made.
    """
    inside = str(folder / "bin" / "python")
    pip = [inside, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--quiet"]
    for command in (
        [python, "-m", "venv", "--clear", str(folder)],
        [*pip, "-r", str(ROOT / "requirements" / "dev.txt")],
        [*pip, "--no-deps", "--no-build-isolation", "--editable", str(ROOT)],
    ):
        subprocess.run(command, check=True, cwd=ROOT, timeout=INSTALLED_WITHIN)


def test(folder: Path) -> bool:
    """Run the quick tests there, and see that what is generated is what this Python generates."""
    inside = str(folder / "bin" / "python")
    quick = [f"tests/{name}" for names in QUICK.values() for name in names]
    # The environment is active: it is what programs that are started find.
    environment = {**os.environ, "VIRTUAL_ENV": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    pytest = [inside, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--numprocesses=2", *quick]
    if subprocess.run(pytest, check=False, cwd=ROOT, env=environment, timeout=TESTED_WITHIN).returncode:
        return False
    if digests(inside) != digests(sys.executable):
        print("it generates other documents than the Python that runs this: make docs shows them")
        return False
    return True


def digests(python: str) -> str:
    """What an interpreter makes of the generated files."""
    done = _said([python, "-m", "tools.contractdocs", "digests"], os.environ, INSTALLED_WITHIN)
    return done.stdout + done.stderr


def outcomes(wanted: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """What came of each version: the version, a sentence, and whether that is a failure."""
    for version in wanted:
        found = find(version)
        if isinstance(found, Missing) and install(version):
            found = find(version)
        if isinstance(found, Missing):
            yield version, f"not run: {found.why}", False
            continue
        print(f"--- Python {version}", flush=True)
        folder = FOLDER / version
        try:
            make(found, folder)
            passed = test(folder)
        except subprocess.SubprocessError as error:
            yield version, f"failed: {error}", True
            continue
        yield version, "the quick tests pass" if passed else "failed", not passed


def main() -> int:
    """Run them, and say of each version what came of it."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    wanted = [one for one in versions((ROOT / "pyproject.toml").read_text(encoding="utf-8")) if one != own]
    found = list(outcomes(wanted))
    print(f"Python {own}: make test runs on it")
    for version, what, _ in found:
        print(f"Python {version}: {what}")
    return int(any(failed for _, _, failed in found))


def _of_pyenv(name: str, environment: Mapping[str, str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The interpreters of this name that pyenv has, the newest first."""
    pyenv = shutil.which("pyenv", path=environment.get("PATH", ""))
    if pyenv is None:
        return
    for version in reversed(_said([pyenv, "whence", name], environment).stdout.split()):
        chosen = {"PYENV_VERSION": version}
        path = _said([pyenv, "which", name], {**environment, **chosen}).stdout.strip()
        if path:
            yield path, chosen


def _said(
    command: Sequence[str], environment: Mapping[str, str], seconds: float = 60.0
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=dict(environment),
            cwd=ROOT,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


if __name__ == "__main__":
    sys.exit(main())
