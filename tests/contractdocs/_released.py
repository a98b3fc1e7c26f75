"""The repository as it would be right after a release, whatever was released before."""

from __future__ import annotations

from dataclasses import replace

from finalturn.contract import Clause
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.baseline import Baseline, load
from tools.contractdocs.project import Project
from tools.contractdocs.release import plan, released

CHANGELOG = "CHANGELOG.md"
VERSION = "9.0.0"
DATE = "2026-01-31"
NOTES = """\
# Changelog

## [Unreleased]

### Added

- A first release.
"""


def unchecked(project: Project) -> list[str]:
    """A check that finds nothing."""
    return []


def before() -> Project:
    """The repository, as if nothing had been released."""
    files = {name: text for name, text in PROJECT.files.items() if not name.startswith("tools/baseline/")}
    return Project({**files, CHANGELOG: NOTES})


def after(project: Project, version: str) -> Project:
    """A project once it is released."""
    files = {**project.files, **plan(project, version, DATE, check=unchecked)}
    return Project(files, clauses=released(project.clauses, version), baseline=load(files))


RELEASED = after(before(), VERSION)


def baseline() -> Baseline:
    """What was released."""
    assert RELEASED.baseline is not None
    return RELEASED.baseline


def clause(name: str, project: Project = RELEASED) -> Clause:
    """A clause of it."""
    return next(one for one in project.clauses if one.id == name)


def noted(project: Project, sort: str, *lines: str) -> Project:
    """The project with lines in the changelog's unreleased section."""
    head = "## [Unreleased]\n"
    items = "\n".join(f"- {line}" for line in lines)
    return project.edited(CHANGELOG, head, f"{head}\n### {sort}\n\n{items}\n")


def with_field(text: str, level: str = "stable") -> Project:
    """The released project with one more field, ``brisk``, behind those of a configuration."""
    file = "src/finalturn/_agent/config.py"
    last = "    max_validation_retries: int = 2\n"
    project = RELEASED.edited(file, last, f"{last}    {text}\n")
    project = project.edited(file, "fields={", f'fields={{"brisk": {level}(since=NEXT), ')
    return project.edited(file, "from finalturn.stability import ", "from finalturn.stability import NEXT, ")


def edited(file: str, old: str, new: str) -> Project:
    """The released project with a file edited."""
    return RELEASED.edited(file, old, new)


def with_clause(name: str, **changes: object) -> Project:
    """The released project with a clause changed."""
    return RELEASED.with_clause(replace(clause(name), **changes))  # type: ignore[arg-type]
