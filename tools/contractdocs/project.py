"""Everything that the check looks at, as one value: a planted drift is another value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from finalturn._core.turn import TABLE, Table
from finalturn._support.public_home import defined_in
from finalturn.contract import CLAUSES, Clause
from tools.contractdocs.api.model import Api, Symbol
from tools.contractdocs.api.reading import extract
from tools.contractdocs.baseline import Baseline
from tools.contractdocs.evidence.model import Evidence
from tools.contractdocs.findings import ROOT, Finding
from tools.contractdocs.modules import SRC

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

    @cached_property
    def by_home(self) -> Mapping[str, Symbol]:
        """The public names by the full name of their definition."""
        return {symbol.home: symbol for symbol in self.api.symbols.values()}

    def public(self, about: object) -> Symbol | None:
        """What a clause is about, as a public name: the thing, or its path where that needs an extra."""
        if isinstance(about, str):
            return self.api.symbols.get(about)
        return self.by_home.get(full_name(about))

    def with_files(self, files: Mapping[str, str | None]) -> Self:
        """The project with files added, replaced or (``None``) deleted."""
        changed = {name: text for name, text in files.items() if self.files.get(name) != text}
        kept = {name: text for name, text in self.files.items() if changed.get(name, text) is not None}
        new = replace(self, files=kept | {name: text for name, text in changed.items() if text is not None})
        return new if any(name.startswith(SRC) for name in changed) else new.sharing(self)

    def sharing(self, other: Project) -> Self:
        """This project, with the public names of another one that has the same source files."""
        known = {name: value for name, value in vars(other).items() if name in ("api", "by_home")}
        vars(self).update(known)  # reading them takes the longest
        return self

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


def full_name(about: object) -> str:
    """The module and the qualified name under which a thing is defined."""
    return f"{defined_in(about) or '?'}.{getattr(about, '__qualname__', repr(about))}"


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
