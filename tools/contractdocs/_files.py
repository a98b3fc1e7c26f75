"""Which files are generated, and which hold generated blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tools.contractdocs import _clauses, _leaks

ROOT = Path(__file__).parents[2]

PAGES: dict[str, Callable[[], str]] = {
    "docs/contract.md": _clauses.page,
    "docs/leak-matrix.md": _leaks.page,
}
BLOCKS: dict[str, Callable[[], str]] = {"clauses": _clauses.table}
WITH_BLOCKS = ("AGENT.md",)
NOTE = "<!-- Generated from the code by `make docs`. Edit the code. -->\n"
_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def rendered() -> dict[Path, str]:
    """Every file that is generated or holds a block, as it should be."""
    found = {ROOT / name: NOTE + render() for name, render in PAGES.items()}
    for name in WITH_BLOCKS:
        found[ROOT / name] = _with_blocks(name, (ROOT / name).read_text())
    return found


def _with_blocks(name: str, text: str) -> str:
    names = [match["name"] for match in _BLOCK.finditer(text)]
    unknown = set(names) - BLOCKS.keys()
    if not names or unknown:
        raise SystemExit(f"{name}: DOCS no generated block, or unknown ones: {sorted(unknown)}")
    return _BLOCK.sub(lambda match: f"{match[1]}\n{BLOCKS[match['name']]()}\n\n{match[3]}", text)
