"""What keeps the check from seeing what it should."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import finalturn
from tools.contractdocs.findings import Finding, is_ours, kind
from tools.contractdocs.markdown import documents
from tools.contractdocs.modules import SRC
from tools.contractdocs.project import Project

NEEDED = (".ci/run", "AGENT.md", "CHANGELOG.md", "Makefile", "README.md", "mkdocs.yml", "pyproject.toml")
"""Files that some check looks at by name."""


@kind("FT60", "looked-at-nothing")
def _nothing(project: Project) -> Iterator[Finding]:
    remedy = "find out why; a check that saw nothing fails"
    gather = "tools/contractdocs/evidence/gather.py"
    looked = {
        "clauses": (project.clauses, f"{SRC}contract.py"),
        "rules of the turn's table": (project.table, f"{SRC}__init__.py"),
        "public names": (project.api.symbols, "tools/contractdocs/api/reading.py"),
        "documents": (list(documents(project)), "tools/contractdocs/project.py"),
        "proofs": (project.evidence.proofs, gather),
        "examples": (project.evidence.examples, gather),
    }
    for file in NEEDED:
        if not project.files.get(file, "").strip():
            yield Finding(file, 1, "there are no lines in it, or it was not read", remedy)
    for what, (things, file) in looked.items():
        if not things:
            yield Finding(file, 1, f"there are no {what}", remedy)
    if not is_ours(finalturn.__file__):
        what = f"finalturn was imported from {Path(finalturn.__file__).parent}, not from this checkout"
        yield Finding(f"{SRC}__init__.py", 1, what, "run it through make, in this checkout's environment")


@kind("FT65", "unpaged-kind")
def _unpaged(project: Project) -> Iterator[Finding]:
    from tools.contractdocs.checks import kinds  # the package that holds this module

    page = "docs/drift.md"
    told = [
        line.removeprefix("### ") for line in project.files.get(page, "").split("\n") if line[:4] == "### "
    ]
    there = [f"{one.code} {one.name}" for one in kinds()]
    for name in (
        *(name for name in there if name not in told),
        *(name for name in told if name not in there),
    ):
        what = f"there is no section {name!r}" if name in there else f"no check is called {name!r}"
        yield Finding(page, None, what, "say there why each kind matters, below its code and name")
