"""What a person and a CI machine get of a drift, planted in a copy of this checkout: a make that fails, and a
line that names the place."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tools.contractdocs.findings import ROOT

pytestmark = pytest.mark.processes

PLANTS: list[dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("plants.toml").read_text(encoding="utf-8")
)["plant"]
LEFT_OUT = ".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "node_modules", "site", "build", "dist"
"""What a copy does not need."""


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: f"{plant['target']}-{plant['file']}")
def test_a_drift_that_is_planted_fails_and_is_told_where_it_is(plant: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)
    text = (copy / plant["file"]).read_text(encoding="utf-8")
    assert plant["old"] in text, "plant something else"
    (copy / plant["file"]).write_text(text.replace(plant["old"], plant["new"], 1), encoding="utf-8")
    (copy / ".venv").symlink_to(Path(sys.prefix))
    made = subprocess.run(
        ["make", "--assume-old", ".venv/.dev", "--assume-old", ".venv/.docs", plant["target"]],
        cwd=copy,
        # Whatever is installed, the copy runs its own code.
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(copy / "src"), str(copy)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=390,
    )
    assert made.returncode != 0, made.stdout
    assert re.search(plant["said"], made.stdout, re.MULTILINE), made.stdout
