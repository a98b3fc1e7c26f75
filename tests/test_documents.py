"""The documents for contributors name files, layers and targets that are there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "finalturn"

DOCUMENTS = ("AGENTS.md", "ARCHITECTURE.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md")

# A path of a file, or of a folder in one of the trees. Those with a word in capitals are patterns.
_FILE = re.compile(r"(?<![\w./-])\.?[\w-][\w./-]*/[\w.-]+\.(?:py|md|txt|json|toml|yml|js)\b")
_FOLDER = re.compile(r"`((?:tests|tools|docs|_\w+)/[\w/-]+)`")
_PATTERN = re.compile(r"[A-Z]{4}")


def named_files(text: str) -> list[str]:
    """The files and folders that a text names, in diagrams too."""
    found = [*_FILE.findall(text), *_FOLDER.findall(text)]
    return [path for path in dict.fromkeys(found) if not _PATTERN.search(path)]


def is_there(path: str) -> bool:
    return (ROOT / path).exists() or (PACKAGE / path).exists()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_file_that_a_document_names_is_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    # An address of another site is no file.
    paths = named_files(re.sub(r"https://\S+", "", text))
    assert [path for path in paths if not is_there(path)] == []


def test_the_map_names_files_in_its_lists_and_in_its_diagrams() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    in_diagrams = [
        path for part in re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL) for path in named_files(part)
    ]
    assert "_providers/answers/decode.py" in in_diagrams
    assert "_core/output/output.py" in in_diagrams
    assert len(named_files(text)) > len(in_diagrams) > 20


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ('a["core/gone.py: text"] --> b', ["core/gone.py"]),
        ("`providers/_NAME.py`, `tests/gone` and [a](docs/b.md)", ["docs/b.md", "tests/gone"]),
        ("as participant D as _agent/driver.py", ["_agent/driver.py"]),
        ("`.github/workflows/release.yml`", [".github/workflows/release.yml"]),
    ],
)
def test_a_named_file_is_found(text: str, files: list[str]) -> None:
    assert named_files(text) == files
    assert is_there("core/gone.py") is is_there("tests/gone") is False


def test_the_layers_are_those_that_are_checked() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (
        one["layers"] for one in config["tool"]["importlinter"]["contracts"] if one["id"] == "layers"
    )
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("| layer |")[2].partition("\n\n")[0]
    rows = [set(re.findall(r"`(\w+)`", row.split("|")[1])) for row in table.splitlines()[2:]]
    assert rows == [set(re.findall(r"\w+", layer)) for layer in layers]
