"""Where in this checkout something went wrong."""

from __future__ import annotations

import linecache
import traceback
from pathlib import Path

from tools.contractdocs._evidence import Broken

ROOT = Path(__file__).parents[2]


def broken_by(error: BaseException, path: Path, what: str) -> Broken:
    """What kept a file from being used: the last place of ours that the error came through."""
    file, line = relative(path), 1
    for name, number in _frames(error):
        if _is_ours(name) or Path(name) == path:
            file, line = relative(Path(name)), number
    return Broken(file, line, f"{relative(path)} {what}: {one_line(error)}")


def relative(path: Path) -> str:
    """A file's path from the root."""
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def one_line(error: BaseException) -> str:
    """An error as a few words; an assertion without any, as its source text."""
    said = " ".join(str(error).split())
    if not said and isinstance(error, AssertionError):
        said = _source(_frames(error)[-1])
    return f"{type(error).__name__}: {said[:300]}" if said else type(error).__name__


def _is_ours(name: str) -> bool:
    # Whatever an environment in here is called, its packages are in this folder.
    return Path(name).is_relative_to(ROOT) and "site-packages" not in Path(name).parts


def _frames(error: BaseException) -> list[tuple[str, int]]:
    frames = [(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    return frames


def _source(frame: tuple[str, int]) -> str:
    name, number = frame
    return f"{linecache.getline(name, number).strip()} ({relative(Path(name))}:{number})"
