"""Every file that is generated, and every file with generated parts, as it should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tools.contractdocs.api.report import PATH as REPORT
from tools.contractdocs.api.report import report
from tools.contractdocs.markdown import CHANGELOG_PAGE, GENERATED_FOLDERS
from tools.contractdocs.project import Project
from tools.contractdocs.render.blocks import filled, unknown_markers
from tools.contractdocs.render.contract import PATH as CONTRACT
from tools.contractdocs.render.contract import clause_pages, contract_json, index_page
from tools.contractdocs.render.docstrings import source_files
from tools.contractdocs.render.llms import llms_files
from tools.contractdocs.render.machine import PATH as MACHINE
from tools.contractdocs.render.machine import machine_page
from tools.contractdocs.render.nav import FILE as NAV
from tools.contractdocs.render.nav import NavError, nav
from tools.contractdocs.render.pages import LEAKS, TRACES, Leaks, changelog_page, leaks_page, run, trace_page
from tools.contractdocs.render.reference import reference_pages


def render(project: Project, leaks: Leaks | None = None) -> dict[str, str]:
    """The text of each file, by its path from the root, sorted.

    It depends on the project and on what the leak matrix's run showed, and on nothing else.

    Args:
        project: the repository.
        leaks: what the run showed; by default it is run, once a process.
    """
    if leaks is not None:
        return _rendered(project, leaks)
    if not (_LAST and _LAST[0][0] is project):
        _LAST[:] = [(project, _rendered(project, run()))]
    return dict(_LAST[0][1])


_LAST: list[tuple[Project, dict[str, str]]] = []
"""The last project and what came of it: several checks look at the same one."""


def problems(project: Project) -> list[str]:
    """Why the site cannot be made from these files; `render` does what it can all the same."""
    files = {**project.files, **render(project)}
    try:
        entries = nav(files)
    except NavError as error:
        return [str(error)]
    listed = [entry.path for entry in entries]
    there = [name.removeprefix("docs/") for name in files if _is_page(name)]
    return [
        *(
            f"{NAV}:{entry.line} names {entry.path}, which is not there"
            for entry in entries
            if entry.path not in there
        ),
        *(f"docs/{path} is not in the nav of {NAV}" for path in sorted(there) if path not in listed),
        *(f"{file}:{line} {said}" for file, line, said in unknown_markers(project) if _is_written(file)),
    ]


def obsolete(project: Project) -> list[str]:
    """Generated files that nothing generates any more."""
    wanted = render(project)
    return [name for name in project.files if name.startswith(GENERATED_FOLDERS) and name not in wanted]


def _rendered(project: Project, leaks: Leaks) -> dict[str, str]:
    found = source_files(project)
    now = _with(project, found)  # docstrings first: pages show them
    found |= {name: filled(name, text, now) for name, text in project.files.items() if _is_written(name)}
    now = _with(now, found)
    found |= {
        f"docs/{CONTRACT}": index_page(now),
        f"docs/{MACHINE}": machine_page(now),
        f"docs/{LEAKS}": leaks_page(leaks),
        f"docs/{TRACES}": trace_page(now),
        CHANGELOG_PAGE: changelog_page(now),
        "docs/contract.json": contract_json(now),
        REPORT: report(now.api),
        **clause_pages(now),
        **reference_pages(now),
    }
    found |= llms_files(_with(now, found))
    return dict(sorted(found.items()))


def _with(project: Project, files: Mapping[str, str]) -> Project:
    """The project with some files as they should be."""
    changed = {name: text for name, text in files.items() if project.files.get(name) != text}
    if not changed:
        return project
    api = project.api
    new = replace(project, files={**project.files, **changed})
    if not any(name.startswith("src/") for name in changed):
        vars(new)["api"] = api  # the public names are the same, and reading them takes the longest
    return new


def _is_written(name: str) -> bool:
    """Whether people write it."""
    if name.startswith(GENERATED_FOLDERS) or name == CHANGELOG_PAGE:
        return False
    return name == NAV or (name.endswith(".md") and ("/" not in name or name.startswith("docs/")))


def _is_page(name: str) -> bool:
    return name.startswith("docs/") and name.endswith(".md")
