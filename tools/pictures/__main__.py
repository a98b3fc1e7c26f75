"""``python -m tools.pictures``: make the pictures of README and of the site's first page again."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from tools.pictures._film import film
from tools.pictures._svg import animated, standing

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "assets" / "pictures"
TITLE = "make demo"


def of_the_demo() -> Mapping[str, str]:
    """The demo as an animated SVG, and as one that stands still, by the names of their files."""
    shown = film()
    return {
        "demo.svg": animated(shown.frames, shown.still, TITLE),
        "demo-still.svg": standing(shown.frames, shown.still, TITLE),
    }


def main() -> int:
    """Make them. The exit code: 1 when a browser is needed and there is none, else 0."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, svg in of_the_demo().items():
        (FOLDER / name).write_text(svg, encoding="utf-8", newline="\n")
    chromium = shutil.which("chromium")
    if chromium is None or find_spec("playwright") is None:
        print("The stills of the chat page need Chromium, and playwright: make .venv/.ci", file=sys.stderr)
        return 1
    from tools.pictures._chat import take

    # A sandbox within a container needs rights that root has not.
    asyncio.run(take(FOLDER, chromium, ["--no-sandbox"] if os.geteuid() == 0 else []))
    return 0


if __name__ == "__main__":
    sys.exit(main())
