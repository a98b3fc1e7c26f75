"""The whole check."""

from __future__ import annotations

from collections.abc import Mapping

from tools.contractdocs.baseline import load
from tools.contractdocs.checks import kinds
from tools.contractdocs.evidence.gather import Gathering
from tools.contractdocs.findings import Kind, broken
from tools.contractdocs.project import Project, read_files
from tools.contractdocs.reproducible import ENVIRONMENTS, RenderingError, Rerun


def look() -> tuple[Project, list[str]]:
    """Look at everything: the files, what their tests and examples come to, and how others render them.

    Returns:
        What there is, and what could not be rendered.
    """
    gathering = Gathering()
    reruns = [Rerun(environment) for environment in ENVIRONMENTS]
    files = read_files()
    renders: list[Mapping[str, str]] = []
    problems: list[str] = []
    for rerun in reruns:
        try:
            renders.append(rerun.digests())
        except RenderingError as error:
            problems.append(str(error))
    evidence, baseline = gathering.evidence(), load(files)
    return Project(files, evidence=evidence, baseline=baseline, renders=tuple(renders)), problems


def check() -> tuple[list[str], str]:
    """Look at everything.

    Returns:
        One line for each finding, and a summary of what was looked at.
    """
    try:
        project, problems = look()
    except Exception as error:
        return [broken(error, "the repository cannot be looked at")], "nothing was looked at"
    found = list(dict.fromkeys(problems))
    found += [line for kind in kinds() for line in findings_of(kind, project)]
    cases = len(project.evidence.proofs)
    summary = (
        f"{len(project.clauses)} clauses, {cases} proofs, {len(project.evidence.examples)} examples,"
        f" {len(project.api.symbols)} public names, {len(kinds())} kinds of drift"
    )
    return found, summary


def findings_of(kind: Kind, project: Project) -> list[str]:
    """What one kind finds; an exception in it is a finding too."""
    try:
        return list(kind.findings(project))
    except Exception as error:
        return [broken(error, f"{kind.code} {kind.name} could not look")]
