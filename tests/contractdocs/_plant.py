"""Plants a drift in a project, and tells what the check says of it."""

from __future__ import annotations

from tools.contractdocs.checks import kinds
from tools.contractdocs.project import Project, read_files

PROJECT = Project(read_files())
"""The repository as it is, without evidence of a run."""


def planted(code: str, project: Project) -> list[str]:
    """What one kind finds."""
    return [line for kind in kinds() if kind.code == code for line in kind.findings(project)]
