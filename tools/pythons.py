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
from collections.abc import Iterator, Sequence
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


def versions(pyproject: str) -> list[str]:
    """The versions of Python that finalturn is for, such as ``3.12``."""
    return _CLASSIFIER.findall(pyproject)


def find(version: str, path: str) -> str:
    """An interpreter of this version that can make environments: its path.

    A name proves nothing: pyenv leaves commands for versions that are not chosen, in a folder beside that of
    its interpreters, and Debian has interpreters without their module venv.

    Args:
        version: such as ``3.12``.
        path: the folders to look in, as PATH has them.

    Raises:
        LookupError: there is none; it says why.
    """
    name = f"python{version}"
    there = shutil.which(name, path=path)
    if there is None:
        raise LookupError(f"there is no {name} on the PATH")
    reason = ""
    for found in (there, *Path(there).parents[1].glob(f"versions/*/bin/{name}")):
        done = _said([str(found), "-c", _CHECK])
        kind, _, executable = done.stdout.strip().partition(" ")
        if done.returncode == 0 and kind == version:
            return executable
        reason = (done.stderr.strip() or done.stdout.strip() or "it says nothing").splitlines()[-1]
    raise LookupError(f"{there} does not work: {reason}")


def install(version: str) -> bool:
    """Install Debian's package of it, where there is one and this is allowed."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    names = f"python{version} python{version}-venv"
    script = (
        f"apt-get update -qq && apt-cache show {names} &&"
        f" DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends {names}"
    )
    return _said(["sh", "-c", script], INSTALLED_WITHIN).returncode == 0


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
    digests = "-m", "tools.contractdocs", "digests"
    here, there = (_said([python, *digests], INSTALLED_WITHIN) for python in (sys.executable, inside))
    if (here.stdout, here.stderr) != (there.stdout, there.stderr):
        print("it generates other documents than the Python that runs this: make docs shows them")
        return False
    return True


def outcomes(wanted: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    """What came of each version: the version, a sentence, and whether that is a failure."""
    for version in wanted:
        try:
            found = _found_or_installed(version)
        except LookupError as missing:
            yield version, f"not run: {missing}", False
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


def _found_or_installed(version: str) -> str:
    path = os.environ.get("PATH", "")
    try:
        return find(version, path)
    except LookupError:
        if not install(version):
            raise
        return find(version, path)


def _said(command: Sequence[str], seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.run(
            command,
            check=False,
            stdin=nothing,
            stdout=pipe,
            stderr=pipe,
            text=True,
            cwd=ROOT,
            timeout=seconds,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return subprocess.CompletedProcess(command, 1, "", str(error))


if __name__ == "__main__":
    sys.exit(main())
