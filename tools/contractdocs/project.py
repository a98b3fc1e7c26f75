"""Everything that the check looks at, as one value: a planted drift is another value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from finalturn._core.turn import TABLE, Table
from finalturn.contract import CLAUSES, Clause
from tools.contractdocs.api.model import Api
from tools.contractdocs.api.reading import extract
from tools.contractdocs.baseline import Baseline
from tools.contractdocs.evidence.model import Evidence
from tools.contractdocs.findings import ROOT, Finding

LOOKED_AT = (
    "*.md",
    "mkdocs.yml",
    "pyproject.toml",
    "Makefile",
    ".ci/run",
    ".github/**/*",
    ".gitignore",
    "docs/**/*",
    "examples/**/*",
    "src/**/*.py",
    "LICENSE",
    "tests/**/*.py",
    "tools/**/*.py",
    "tools/**/*.toml",
    "tools/baseline/*.json",
    "tools/bench/*.json",
)


@dataclass(frozen=True)
class Project:
    """A state of the repository.

    Attributes:
        files: every text file that the check may look at, by its path from the root.
        clauses: the contract.
        table: the turn's rules.
        evidence: what a run of the contract's tests and of the examples came to.
        baseline: what the last release promised; ``None`` before the first.
    """

    files: Mapping[str, str]
    clauses: tuple[Clause, ...] = CLAUSES
    table: Table = TABLE
    evidence: Evidence = field(default_factory=Evidence)
    baseline: Baseline | None = None

    @cached_property
    def api(self) -> Api:
        """The public names, read from the source files."""
        return extract(self.files)

    def edited(self, file: str, old: str, new: str) -> Project:
        """The project with one text replaced, which must stand in the file."""
        text = self.files[file]
        if old not in text:
            raise ValueError(f"{file} does not hold {old!r}")
        return replace(self, files={**self.files, file: text.replace(old, new, 1)})

    def with_file(self, file: str, text: str | None) -> Project:
        """The project with a file added, replaced or (``None``) deleted."""
        files = {name: old for name, old in self.files.items() if name != file}
        return replace(self, files=files if text is None else {**files, file: text})

    def with_clause(self, clause: Clause) -> Project:
        """The project with the clause of the same id replaced."""
        return replace(self, clauses=tuple(clause if one.id == clause.id else one for one in self.clauses))

    def line_of(self, file: str, text: str) -> int:
        """The 1-based line on which a text first stands; 1 where it does not."""
        before, found, _ = self.files.get(file, "").partition(text)
        return before.count("\n") + 1 if found else 1

    def place_of_clause(self, clause_id: str) -> tuple[str, int]:
        """The file and line that declare a clause."""
        wanted = re.compile(rf'^    id="{re.escape(clause_id)}",$', re.MULTILINE)
        for name, text in self.files.items():
            if name.startswith("src/finalturn/_contract/") and (match := wanted.search(text)):
                return name, text.count("\n", 0, match.start()) + 1
        return "src/finalturn/contract.py", 1

    def at_clause(self, clause_id: str, what: str, remedy: str) -> Finding:
        """A finding where a clause is declared."""
        return Finding(*self.place_of_clause(clause_id), what, remedy)


def read_files(root: Path = ROOT) -> dict[str, str]:
    """Every file that a project has, sorted."""
    found = {path for pattern in LOOKED_AT for path in root.glob(pattern) if path.is_file()}
    texts: dict[str, str] = {}
    for path in sorted(found):
        name = path.relative_to(root).as_posix()
        if "__pycache__" in name or "_cache" in name:
            continue
        try:
            texts[name] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            texts[name] = ""  # a picture: that it is there is all there is to know
    return texts
