"""``python -m tools.contractdocs.plants``: plants drifts in copies of this checkout, and runs ``make`` there.

The planted tests look at values; this looks at what a person and a CI machine get: the exit code, and a line
that names the place.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools.contractdocs.findings import ROOT


class Plant(NamedTuple):
    """One drift, as plants.toml has it."""

    target: str
    file: str
    old: str
    new: str
    said: str


PLANTS = [
    Plant(**one)
    for one in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["plant"]
]
LEFT_OUT = (
    *(".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "node_modules"),
    *("site", "build", "dist"),
)
"""What a copy does not need."""


def main() -> int:
    """Plant each drift in a copy of its own."""
    problems = [problem for plant in PLANTS for problem in _problems(plant)]
    print("\n".join(problems) or f"plants: {len(PLANTS)} drifts were planted, and make failed on each")
    return 1 if problems else 0


def _problems(plant: Plant) -> Iterator[str]:
    name = f"{plant.file} ({plant.target})"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
        path = copy / plant.file
        text = path.read_text(encoding="utf-8")
        if plant.old not in text:
            yield f"{name}: {plant.old!r} does not stand there -> plant something else"
            return
        path.write_text(text.replace(plant.old, plant.new, 1), encoding="utf-8")
        (copy / ".venv").symlink_to(Path(sys.prefix))
        run = subprocess.run(
            ["make", "--assume-old", ".venv/.dev", "--assume-old", ".venv/.docs", plant.target],
            cwd=copy,
            # Whatever is installed, the copy runs its own code.
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy / "src"), str(copy)])},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,
        )
        if run.returncode == 0:
            yield f"{name}: make {plant.target} did not fail -> a check swallows what it finds"
        elif not re.search(plant.said, run.stdout, re.MULTILINE):
            yield f"{name}: make {plant.target} failed, and no line matches {plant.said}:\n{run.stdout}"


if __name__ == "__main__":
    sys.exit(main())
