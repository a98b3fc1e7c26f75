"""What is said of an exception in the check: one line that names a place in this checkout."""

from __future__ import annotations

import traceback
from pathlib import Path

ROOT = Path(__file__).parents[2]
REMEDY = "mend it; a check that saw nothing fails"


def broken(error: Exception, what: str) -> str:
    """One line: where it was raised, as near to this checkout's code as it can be told.

    Args:
        error: what was raised.
        what: what could not be done because of it.
    """
    file, line = "tools/contractdocs/__main__.py", 1
    frames = [(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    for name, number in frames:
        path = Path(name)
        if path.is_relative_to(ROOT) and ".venv" not in path.parts:
            file, line = path.relative_to(ROOT).as_posix(), number
    words = " ".join(str(error).split())
    return f"{file}:{line} FT60 looked-at-nothing: {what} ({type(error).__name__}: {words}) -> {REMEDY}"
