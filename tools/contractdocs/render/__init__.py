"""Every file that is generated, and every file with generated parts, as it should be."""

from __future__ import annotations

from tools.contractdocs.api.report import PATH as REPORT
from tools.contractdocs.api.report import report
from tools.contractdocs.markdown import CHANGELOG_PAGE, GENERATED_FOLDERS
from tools.contractdocs.project import Project
from tools.contractdocs.render.blocks import filled
from tools.contractdocs.render.contract import contract_files
from tools.contractdocs.render.docstrings import source_files
from tools.contractdocs.render.llms import llms_files
from tools.contractdocs.render.pages import LEAKS, TRACES, changelog_page, leaks_page, run, trace_page
from tools.contractdocs.render.reference import reference_pages


def render(project: Project) -> dict[str, str]:
    """The text of each file, by its path from the root, sorted.

    It depends on the project and on what the leak matrix's run shows, and on nothing else.
    """
    parts = (project.files, project.clauses, project.table)
    if not (_LAST and all(one is other for one, other in zip(_LAST[0][0], parts, strict=True))):
        _LAST[:] = [(parts, _rendered(project))]
    return dict(_LAST[0][1])


_LAST: list[tuple[tuple[object, ...], dict[str, str]]] = []
"""What was rendered last, and what came of it: several checks look at the same project."""


def obsolete(project: Project) -> list[str]:
    """Generated files that nothing generates any more."""
    wanted = render(project)
    return [name for name in project.files if name.startswith(GENERATED_FOLDERS) and name not in wanted]


def _rendered(project: Project) -> dict[str, str]:
    found = source_files(project)
    now = project.with_files(found)  # docstrings first: pages show them
    found |= {name: filled(text, now) for name, text in project.files.items() if _is_written(name)}
    now = now.with_files(found)
    found |= {
        LEAKS: leaks_page(run()),
        TRACES: trace_page(),
        CHANGELOG_PAGE: changelog_page(now),
        REPORT: report(now.api),
        **contract_files(now),
        **reference_pages(now),
    }
    found |= llms_files(now.with_files(found))
    return dict(sorted(found.items()))


def _is_written(name: str) -> bool:
    """Whether people write it, with generated parts."""
    if name.startswith(GENERATED_FOLDERS) or name == CHANGELOG_PAGE:
        return False
    return name.endswith(".md") and ("/" not in name or name.startswith("docs/"))
