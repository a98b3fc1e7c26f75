"""The counts that are kept, one set for each minor version of Python, and how far from them is too far."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path

FILE = Path(__file__).with_name("ratios.json")

GROWTH = 0.1
"""How much more than what is kept fails: a tenth."""

Kept = Mapping[str, Mapping[str, float]]


def version() -> str:
    """The minor version that runs: its bytecode is what is counted."""
    return ".".join(platform.python_version_tuple()[:2])


def kept(file: Path = FILE) -> Kept:
    """What is kept."""
    found: Kept = json.loads(file.read_text())
    return found


def keep(of: str, found: Mapping[str, float], file: Path = FILE) -> None:
    """Keep what has been counted in place of what was."""
    before = kept(file) if file.exists() else {}
    file.write_text(json.dumps({**before, of: found}, indent=1, sort_keys=True) + "\n")


def grown(before: Mapping[str, float], found: Mapping[str, float]) -> Iterator[str]:
    """The works that have grown by more than a tenth, each in a sentence."""
    for name, ratio in found.items():
        growth = ratio / before[name] - 1
        if growth > GROWTH:
            yield (
                f"{name}: {ratio:.3f} x the reference, and {before[name]:.3f} x is kept: {growth:.0%} more."
                " Make it cheaper, or keep the new count: python -m tools.instructions write"
            )
