"""A repository with one document, so that a test sees what that document has alone."""

from __future__ import annotations

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.project import Project

PAGE = "docs/guides/planted.md"
CODE = {name: text for name, text in PROJECT.files.items() if not name.endswith((".md", ".toml"))}
PYPROJECT = {"pyproject.toml": PROJECT.files["pyproject.toml"]}


def lone(text: str) -> Project:
    """The repository with a page of this text, below a title, as its only document."""
    project = Project({**CODE, **PYPROJECT, PAGE: f"# A page\n\n{text}\n"})
    vars(project)["api"] = PROJECT.api  # only documents differ
    return project


def on_page(code: str, text: str) -> list[str]:
    """What one kind finds on such a page, each from the line on."""
    return [line.removeprefix(f"{PAGE}:") for line in planted(code, lone(text))]
