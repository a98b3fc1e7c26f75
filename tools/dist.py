"""``python -m tools.dist [TAG]``: whether the package may be built for a tag; ``make dist`` builds it."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def problem(version: str, tag: str | None, changelog: str) -> str | None:
    """Why this must not be built; ``None`` when it may.

    Args:
        version: the version of the package.
        tag: the tag that it is built for; ``None`` where it is for nobody but oneself.
        changelog: the text of CHANGELOG.md.
    """
    if tag is None:
        return None
    if tag != f"v{version}":
        return f"the tag is {tag}, and the version is {version}: tag v{version}, or make release first"
    if not re.search(rf"^## \[{re.escape(version)}\]", changelog, re.MULTILINE):
        return f"CHANGELOG.md has no section [{version}]: make release writes it"
    return None


def main(arguments: Sequence[str]) -> int:
    """Say why not, where it must not be built."""
    if len(arguments) > 1:
        print("usage: python -m tools.dist [TAG]")
        return 2
    version: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if found := problem(version, next(iter(arguments), None), changelog):
        print(found)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
