"""Plants a drift in a project, and tells what the check says of it."""

from __future__ import annotations

from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project, read_files

PROJECT = Project(read_files())
"""The repository as it is, without evidence of a run."""

PAGE = "docs/guides/planted.md"
_CODE = {name: text for name, text in PROJECT.files.items() if not name.endswith((".md", ".toml"))}


def planted(code: str, project: Project) -> list[str]:
    """What one kind finds."""
    return [line for kind in kinds() if kind.code == code for line in kind.findings(project)]


def lone(text: str) -> Project:
    """The repository with a page of this text, below a title, as its only document."""
    settings = {"pyproject.toml": PROJECT.files["pyproject.toml"]}
    return Project({**_CODE, **settings, PAGE: f"# A page\n\n{text}\n"}).sharing(PROJECT)


def on_page(code: str, text: str) -> list[str]:
    """What one kind finds on such a page, each from the line on."""
    return [line.removeprefix(f"{PAGE}:") for line in planted(code, lone(text))]
