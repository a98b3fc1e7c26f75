"""What the check finds, the kinds of drift that it looks for, and what is said of an exception in it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tools.contractdocs.project import Project

ROOT = Path(__file__).parents[2]


class Finding(NamedTuple):
    """One place where something drifted.

    Attributes:
        file: the path from the root of the repository.
        line: 1-based; ``None`` where the whole file is meant.
        what: what is wrong, with both values.
        remedy: what to do about it.
    """

    file: str
    line: int | None
    what: str
    remedy: str


Look = Callable[["Project"], Iterator[Finding]]


@dataclass(frozen=True)
class Kind:
    """A kind of drift. docs/drift.md says of each what goes wrong for someone when it goes unseen.

    Attributes:
        code: permanent; ``FT`` and two characters, of which the first names the group.
        name: kebab-case.
        look: finds it in a project.
    """

    code: str
    name: str
    look: Look

    def findings(self, project: Project) -> Iterator[str]:
        """One line for each place, as a person sees it."""
        for file, line, what, remedy in self.look(project):
            where = file if line is None else f"{file}:{line}"
            yield f"{where} {self.code} {self.name}: {what} -> {remedy}"


REGISTRY: dict[str, Kind] = {}


def kind(code: str, name: str) -> Callable[[Look], Look]:
    """Register a function as what looks for a kind of drift."""

    def register(look: Look) -> Look:
        assert code not in REGISTRY, f"two kinds have the code {code}"
        REGISTRY[code] = Kind(code, name, look)
        return look

    return register


def broken(error: Exception, what: str) -> str:
    """One line on an exception: where it was raised, as near to this checkout's code as it can be told.

    Args:
        error: what was raised.
        what: what could not be done because of it.
    """
    file, line = place_of(error) or ("tools/contractdocs/__main__.py", 1)
    words = " ".join(str(error).split())
    remedy = "mend it; a check that saw nothing fails"
    return f"{file}:{line} FT60 looked-at-nothing: {what} ({type(error).__name__}: {words}) -> {remedy}"


def place_of(error: BaseException, also: Path | None = None) -> tuple[str, int] | None:
    """The last file of this checkout, or the other one, and the line that an error came through."""
    found = [(name, line) for name, line in frames(error) if _is_ours(name) or Path(name) == also]
    return (relative(Path(found[-1][0])), found[-1][1]) if found else None


def frames(error: BaseException) -> list[tuple[str, int]]:
    """The files and lines that an error came through; last, where a syntax error stands."""
    found = [(frame.filename, frame.lineno or 1) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        found.append((error.filename, error.lineno or 1))
    return found


def _is_ours(name: str) -> bool:
    """Whether a file is part of this checkout, and not of an environment in it."""
    path = Path(name)
    return path.is_relative_to(ROOT) and not {"site-packages", ".venv"} & set(path.parts)


def relative(path: Path) -> str:
    """A file's path from the root."""
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def short(text: str, other: str | None = None, most: int = 90) -> str:
    """A text short enough for a message, around its first difference from another."""
    if len(text) <= most:
        return text
    pairs = enumerate(zip(text, other or text[:1], strict=False))
    first = next((at for at, (one, two) in pairs if one != two), 0)
    start = max(0, min(first - most // 2, len(text) - most))
    return f"{'…' if start else ''}{text[start : start + most]}{'…' if start + most < len(text) else ''}"


def meant(word: str, known: Iterable[str], otherwise: str, alike: float = 0.5) -> str:
    """What a word may have been meant for, as a remedy; ``otherwise`` where nothing is like it."""
    close = get_close_matches(word, list(known), 1, alike)
    return f"did you mean {close[0]}?" if close else otherwise
