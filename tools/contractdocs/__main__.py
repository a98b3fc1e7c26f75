"""``python -m tools.contractdocs write|check``."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.contractdocs._files import ROOT, rendered


def main(arguments: list[str]) -> int:
    """Write what is generated, or say what is stale."""
    if arguments not in (["write"], ["check"]):
        print("usage: python -m tools.contractdocs write|check")
        return 2
    stale = [(path, text) for path, text in rendered().items() if _read(path) != text]
    if arguments == ["write"]:
        for path, text in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")
        return 0
    for path, text in stale:
        print(
            f"{path.relative_to(ROOT)}:{_first_difference(_read(path), text)} DOCS stale: it differs from the"
            " code it is generated from -> make docs"
        )
    return 1 if stale else 0


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _first_difference(old: str, new: str) -> int:
    pairs = zip([*old.splitlines(), None], new.splitlines(), strict=False)
    return next((number for number, (one, other) in enumerate(pairs, 1) if one != other), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
