"""The whole check."""

from __future__ import annotations

from tools.contractdocs._baseline import load
from tools.contractdocs._broken import broken
from tools.contractdocs._evidence_gather import Gathering
from tools.contractdocs._finding import Kind
from tools.contractdocs._project import Project, read_files
from tools.contractdocs._reproducible import ENVIRONMENTS, Rerun
from tools.contractdocs.kinds import kinds


def look() -> Project:
    """Look at everything: the files, what their tests and examples come to, and how others render them."""
    gathering = Gathering()
    reruns = [Rerun(environment) for environment in ENVIRONMENTS]
    files = read_files()
    renders = tuple(rerun.digests() for rerun in reruns)
    return Project(files, evidence=gathering.evidence(), baseline=load(files), renders=renders)


def check() -> tuple[list[str], str]:
    """Look at everything.

    Returns:
        One line for each finding, and a summary of what was looked at.
    """
    try:
        project = look()
    except Exception as error:
        return [broken(error, "the repository cannot be looked at")], "nothing was looked at"
    found = [line for kind in kinds() for line in _findings(kind, project)]
    cases = len(project.evidence.proofs)
    summary = (
        f"{len(project.clauses)} clauses, {cases} proofs, {len(project.evidence.examples)} examples,"
        f" {len(project.api.symbols)} public names, {len(kinds())} kinds of drift"
    )
    return found, summary


def _findings(kind: Kind, project: Project) -> list[str]:
    try:
        return list(kind.findings(project))
    except Exception as error:
        return [broken(error, f"{kind.code} {kind.name} could not look")]
