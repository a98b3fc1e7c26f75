"""What mypy and pyright say, each in its strict mode, of the documents, of frozen classes, and of mistakes.

Everything is read in one run of each: what takes the time is to read the library.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.typing._checkers import ROOT, expected, mypy, pyright
from tests.typing._documents import documents
from tests.typing._planted import PLANTED
from tests.typing._planted_serving import PLANTED_SERVING
from tests.typing._public import assignments

pytestmark = pytest.mark.processes


def modules() -> dict[str, str]:
    """What is checked, by file name."""
    return {
        **documents(),
        "frozen_classes.py": assignments(),
        "planted_mistakes.py": PLANTED,
        "planted_serving.py": PLANTED_SERVING,
    }


def test_mypy_finds_what_is_wrong_and_nothing_else(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    cache = getattr(pytestconfig, "cache", None)
    files = modules()
    found = mypy(files, tmp_path, tmp_path / "cache" if cache is None else cache.mkdir("finalturn-typing"))
    told("mypy", files, found)


def test_pyright_finds_what_is_wrong_and_nothing_else(tmp_path: Path) -> None:
    here = ROOT / "node_modules" / ".bin" / "pyright"
    command = str(here) if here.exists() else shutil.which("pyright")
    if command is None:
        missing = "pyright is not installed: npm ci"
        assert os.environ.get("FINALTURN_PYRIGHT") != "required", missing
        pytest.skip(missing)
    files = modules()
    told("pyright", files, pyright(files, tmp_path, Path(command)))


def told(checker: str, files: dict[str, str], found: dict[tuple[str, int], str]) -> None:
    """Say of each line that was judged otherwise what stands there."""
    right = expected(files, checker)
    wrong = [f"{name}:{line}: {words}" for (name, line), words in found.items() if (name, line) not in right]
    missed = [
        f"{name}:{line}: nothing is found in {files[name].splitlines()[line - 1].strip()}"
        for name, line in sorted(right - set(found))
    ]
    assert not [*wrong, *missed], "\n".join([*wrong, *missed])


def test_there_is_something_to_check() -> None:
    files = modules()
    assert {"AGENT_line_6.py", "lines.py", "test_lines.py"} <= set(files)
    assert len(files) > 50
    assert sum(name == "frozen_classes.py" for name, _ in expected(files, "mypy")) > 100
