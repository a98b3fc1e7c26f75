"""The whole check."""

from __future__ import annotations

from tools.contractdocs._baseline import load
from tools.contractdocs._evidence_gather import gather
from tools.contractdocs._project import Project, read_files
from tools.contractdocs._reproducible import ENVIRONMENTS, Rerun
from tools.contractdocs.kinds import kinds


def check() -> tuple[list[str], str]:
    """Look at everything.

    Returns:
        One line for each finding, and a summary of what was looked at.
    """
    reruns = [Rerun(environment) for environment in ENVIRONMENTS]
    files = read_files()
    project = Project(
        files, evidence=gather(), baseline=load(files), renders=tuple(rerun.digests() for rerun in reruns)
    )
    found = [line for kind in kinds() for line in kind.findings(project)]
    cases = len(project.evidence.proofs)
    summary = (
        f"{len(project.clauses)} clauses, {cases} proofs, {len(project.evidence.examples)} examples,"
        f" {len(project.api.symbols)} public names, {len(kinds())} kinds of drift"
    )
    return found, summary
