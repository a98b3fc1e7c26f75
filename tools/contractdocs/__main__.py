"""``python -m tools.contractdocs write|check|review|explain CODE|draft|release VERSION``."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main(arguments: list[str]) -> int:
    """Run one command; what it cannot even import is a finding too."""
    try:
        from tools.contractdocs._commands import run
    except Exception as error:
        print(_unreadable(error))
        return 1
    return run(arguments)


def _unreadable(error: Exception) -> str:
    """One line for code that does not import, naming the place in this checkout where it fails."""
    file, line = "tools/contractdocs/__main__.py", 1
    if isinstance(error, SyntaxError) and error.filename:
        frames = [(error.filename, error.lineno or 1)]
    else:
        frames = [(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    for name, number in frames:
        path = Path(name)
        if path.is_relative_to(ROOT) and ".venv" not in path.parts:
            file, line = path.relative_to(ROOT).as_posix(), number
    words = " ".join(str(error).split())
    return (
        f"{file}:{line} FT60 looked-at-nothing: the code cannot be imported ({type(error).__name__}: {words})"
        " -> mend it; a check that saw nothing fails"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
