"""Counting: each work under callgrind, as the difference of two runs, and beside a reference."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REFERENCE = "reference"
WORKS = ("codec", "machine", "machine and hold, prose", "machine and hold, in a block")

# A whole number of passes through the text of the benchmark.
DELTAS = 2000

ROOT = Path(__file__).resolve().parents[2]

_COLLECTED = re.compile(r"^==\d+== Collected : (\d+)$", re.MULTILINE)


def counted() -> dict[str, float]:
    """Instructions of each work and of the reference, for one delta."""
    names = (REFERENCE, *WORKS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        without, *others = pool.map(_instructions, ("nothing", *names))
    return {name: (found - without) / DELTAS for name, found in zip(names, others, strict=True)}


def ratios(found: Mapping[str, float]) -> dict[str, float]:
    """Each work by the reference: what another patch version of Python changes in both is not seen."""
    return {name: round(found[name] / found[REFERENCE], 4) for name in WORKS}


def _instructions(name: str) -> int:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    command = [sys.executable, "-m", "tools.instructions._work", name]
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
        timeout=600,
    )
    found = _COLLECTED.search(done.stderr)
    if done.returncode or found is None:
        raise RuntimeError(f"valgrind counted nothing:\n{done.stderr[-2000:]}")
    return int(found[1])
