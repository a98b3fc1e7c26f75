"""``python -m tools.instructions check`` or ``write``: count instructions, and compare or keep the counts.

Each work is counted under callgrind, as the difference of two runs, and kept as a ratio to plain code: what
another patch version of Python changes in both is not seen. Each minor version has counts of its own.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.instructions._work import DELTAS, REFERENCE, WORKS

ROOT = Path(__file__).resolve().parents[2]
FILE = Path(__file__).with_name("ratios.json")
VERSION = ".".join(platform.python_version_tuple()[:2])

GROWTH = 0.1
"""How much more than what is kept fails: a tenth."""

_COLLECTED = re.compile(r"^==\d+== Collected : (\d+)$", re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Count, and say what has come of it."""
    if arguments not in (["check"], ["write"]):
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("valgrind") is None:
        missing = "instructions: valgrind is missing; on Debian: apt-get install valgrind libc6-dbg"
        print(missing, file=sys.stderr)
        return 1
    before = kept().get(VERSION)
    if arguments == ["check"] and before is None:
        write = "keep them: python -m tools.instructions write"
        print(f"instructions: not run: no counts are kept for Python {VERSION}; {write}")
        return 0
    counts = counted()
    for name, count in counts.items():
        ratio = "" if name == REFERENCE else f"{count / counts[REFERENCE]:8.3f} x"
        print(f"  {name:32}{count:10,.0f} instructions for each delta{ratio}")
    ratios = {name: round(counts[name] / counts[REFERENCE], 4) for name in WORKS}
    if arguments == ["write"]:
        keep(VERSION, ratios)
        return 0
    problems = list(grown(before or {}, ratios))
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def counted() -> dict[str, float]:
    """Instructions of each work and of the reference, for one delta."""
    names = (REFERENCE, *WORKS)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        without, *others = pool.map(_instructions, ("nothing", *names))
    return {name: (count - without) / DELTAS for name, count in zip(names, others, strict=True)}


def kept(file: Path = FILE) -> Mapping[str, Mapping[str, float]]:
    """The ratios that are kept, by version and work."""
    ratios: Mapping[str, Mapping[str, float]] = json.loads(file.read_text()) if file.exists() else {}
    return ratios


def keep(version: str, ratios: Mapping[str, float], file: Path = FILE) -> None:
    """Keep what has been counted in place of what was."""
    file.write_text(json.dumps({**kept(file), version: ratios}, indent=1, sort_keys=True) + "\n")


def grown(before: Mapping[str, float], ratios: Mapping[str, float]) -> Iterator[str]:
    """The works that have grown by more than a tenth, each in a sentence."""
    for name, ratio in ratios.items():
        growth = ratio / before[name] - 1
        if growth > GROWTH:
            yield (
                f"{name}: {ratio:.3f} x the reference, and {before[name]:.3f} x is kept: {growth:.0%} more."
                " Make it cheaper, or keep the new count: python -m tools.instructions write"
            )


def _instructions(name: str) -> int:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*valgrind, sys.executable, "-m", "tools.instructions._work", name],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=environment,
        timeout=600,
    )
    count = _COLLECTED.search(done.stderr)
    if done.returncode or count is None:
        raise RuntimeError(f"valgrind counted nothing:\n{done.stderr[-2000:]}")
    return int(count[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
