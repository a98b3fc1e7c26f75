"""The command line, as a process of its own and in this one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

from typer.testing import CliRunner

from finalturn._cli.app import app

ROOT = Path(__file__).resolve().parents[2]


def environment(**more: str) -> dict[str, str]:
    """The environment of such a process: whatever surrounds the tests must not change what it prints."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**kept, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "TERM": "xterm-256color", **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-W", "error", "-m", "finalturn", *arguments]


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run it in pipes."""
    return subprocess.run(
        command(*arguments),
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env=environment(**env),
        timeout=120,
    )


def invoke(
    *arguments: str, stdin: bytes = b"", cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """Run it in this process, with pipes that stand in for the standard streams."""
    with chdir(cwd):
        done = CliRunner(env=env).invoke(app, arguments, input=stdin)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout_bytes, done.stderr_bytes)
