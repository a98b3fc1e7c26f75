"""Plants a drift in a project, and tells what the check says of it."""

from __future__ import annotations

from dataclasses import replace

from finalturn.contract import Clause
from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project, read_files


class Planted(Project):
    """A project that is easily changed."""

    def edited(self, file: str, old: str, new: str) -> Planted:
        """The project with one text replaced, which must stand in the file."""
        if old not in self.files[file]:
            raise ValueError(f"{file} does not hold {old!r}")
        return self.with_files({file: self.files[file].replace(old, new, 1)})

    def with_file(self, file: str, text: str | None) -> Planted:
        """The project with a file added, replaced or (``None``) deleted."""
        return self.with_files({file: text})

    def with_clause(self, clause: Clause) -> Planted:
        """The project with the clause of the same id replaced."""
        clauses = tuple(clause if one.id == clause.id else one for one in self.clauses)
        return replace(self, clauses=clauses).sharing(self)


PROJECT = Planted(read_files())
"""The repository as it is, without evidence of a run."""

PAGE = "docs/guides/planted.md"
_CODE = {name: text for name, text in PROJECT.files.items() if not name.endswith((".md", ".toml"))}


def planted(code: str, project: Project) -> list[str]:
    """What one kind finds."""
    return [line for kind in kinds() if kind.code == code for line in kind.findings(project)]


def lone(text: str) -> Planted:
    """The repository with a page of this text, below a title, as its only document."""
    settings = {"pyproject.toml": PROJECT.files["pyproject.toml"]}
    return Planted({**_CODE, **settings, PAGE: f"# A page\n\n{text}\n"}).sharing(PROJECT)


def on_page(code: str, text: str) -> list[str]:
    """What one kind finds on such a page, each from the line on."""
    return [line.removeprefix(f"{PAGE}:") for line in planted(code, lone(text))]
