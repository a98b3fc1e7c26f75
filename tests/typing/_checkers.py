"""The two type checkers, each run once on many files at a time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LIMIT = 300.0
"""Seconds: the first run reads pydantic too."""

Errors = dict[tuple[str, int], str]
"""What is wrong: by the file's name and the line."""

_ERROR = re.compile(r"^(?:.*/)?([\w.]+):(\d+): error: (.*)$", re.MULTILINE)


def expected(files: Mapping[str, str], checker: str) -> set[tuple[str, int]]:
    """The lines that end in ``# wrong`` must be errors, and no others.

    ``# wrong for mypy`` is what pyright does not look at: what ``dataclasses.replace`` is given.
    """
    return {
        (name, number)
        for name, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        if line.endswith(("# wrong", f"# wrong for {checker}"))
    }


def mypy(files: Mapping[str, str], folder: Path, cache: Path) -> Errors:
    """What mypy finds, in its strict mode.

    Args:
        files: texts of modules, by file name.
        folder: where they are written.
        cache: what it keeps for the next run.
    """
    paths = _written(files, folder)
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(cache)]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--hide-error-context", "--no-error-summary"),
            *("--no-pretty", *config, *paths),
        ],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(folder)},
    )
    assert done.stderr == ""
    return {(file, int(line)): words for file, line, words in _ERROR.findall(done.stdout)}


def pyright(files: Mapping[str, str], folder: Path, command: Path) -> Errors:
    """What pyright finds, in its strict mode.

    Args:
        files: texts of modules, by file name.
        folder: where they are written.
        command: pyright.
    """
    _written(files, folder)
    settings = {
        "include": ["."],
        "extraPaths": [str(ROOT / "src")],
        "typeCheckingMode": "strict",
        "pythonVersion": "3.11",
    }
    config = folder / "pyrightconfig.json"
    config.write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [str(command), "--outputjson", "--pythonpath", sys.executable, "--project", str(config)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        cwd=ROOT,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    return {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1): one["message"]
        for one in found
        if one["severity"] in ("error", "warning")
    }


def _written(files: Mapping[str, str], folder: Path) -> list[str]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files]
