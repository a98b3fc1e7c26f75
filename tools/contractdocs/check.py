"""The whole check."""

from __future__ import annotations

from tools.contractdocs.baseline import load
from tools.contractdocs.checks import kinds
from tools.contractdocs.evidence.gather import gather
from tools.contractdocs.findings import Kind, broken
from tools.contractdocs.project import Project, read_files


def look() -> Project:
    """The files, and what their tests and examples come to."""
    files = read_files()
    return Project(files, evidence=gather(), baseline=load(files))


def check() -> tuple[list[str], str]:
    """Look at everything.

    Returns:
        One line for each finding, and a summary of what was looked at.
    """
    try:
        project = look()
    except Exception as error:
        return [broken(error, "the repository cannot be looked at")], "nothing was looked at"
    found = findings(project)
    cases = len(project.evidence.proofs)
    summary = (
        f"{len(project.clauses)} clauses, {cases} proofs, {len(project.evidence.examples)} examples,"
        f" {len(project.api.symbols)} public names, {len(kinds())} kinds of drift"
    )
    return found, summary


def findings(project: Project) -> list[str]:
    """What every kind finds."""
    return [line for kind in kinds() for line in findings_of(kind, project)]


def findings_of(kind: Kind, project: Project) -> list[str]:
    """What one kind finds; an exception in it is a finding too."""
    try:
        return list(kind.findings(project))
    except Exception as error:
        return [broken(error, f"{kind.code} {kind.name} could not look")]
