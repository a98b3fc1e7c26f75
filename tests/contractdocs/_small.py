"""The repository with one small module in place of its public names: an edit of it is read at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from finalturn.contract import Clause
from tests.contractdocs._plant import PROJECT, Planted
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import baseline_of, load, written
from tools.contractdocs.modules import PUBLIC_MODULES, module_file
from tools.contractdocs.release import released
from tools.contractdocs.review import confirmed

CHANGELOG = "CHANGELOG.md"
INIT = "src/finalturn/__init__.py"
PART = "src/finalturn/_part.py"
HEAD = '''"""A part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from finalturn.stability import NEXT, beta, stable

'''
VERSION = "9.0.0"
_PUBLIC = {module_file(module, PROJECT.files) for module in PUBLIC_MODULES}
_PRIVATE = {name: text for name, text in PROJECT.files.items() if name not in _PUBLIC}


def package(code: str, *names: str) -> dict[str, str]:
    """The files of a package whose public names are those of one private module, which has this code."""
    root = f'"""All."""\nfrom finalturn._part import {", ".join(names)}\n__all__ = {list(names)!r}\n'
    return {INIT: f'{root}__version__ = "{VERSION}"\n', PART: f"{HEAD}{code}"}


def small(code: str, *names: str) -> Planted:
    """The repository, with this package in place of its public names."""
    return replace(PROJECT, files={**_PRIVATE, **package(code, *names)})


def symbols(code: str, *names: str) -> dict[str, Symbol]:
    """The public names of such a package, by what follows the module."""
    found = small(code, *names).api.symbols
    return {path.removeprefix("finalturn."): symbol for path, symbol in found.items()}


def release_of(project: Planted, version: str = VERSION) -> Planted:
    """A project right after a release of a version, without what is rendered."""
    log = (
        f"# Changelog\n\n## [Unreleased]\n\n## [{version}] - 2026-01-31\n\n### Added\n\n- A first release.\n"
    )
    settings = f'[project]\nversion = "{version}"\n'
    project = replace(project, clauses=released(project.clauses, version))
    project = project.with_file(CHANGELOG, log).with_file("pyproject.toml", settings)
    baseline = baseline_of(replace(project, baseline=None), version, {})
    others = {name: text for name, text in project.files.items() if not name.startswith("tools/baseline/")}
    project = replace(project, files={**others, baseline.file: written(baseline)})
    project = replace(project, baseline=load(project.files))
    return replace(project, files={**project.files, **confirmed(project)})


RELEASED = release_of(
    small(
        '@stable(since="0.1.0", fields={"held": beta(since="0.1.0")})\n@dataclass\nclass Config:\n'
        '    """Settings.\n\n    Attributes:\n        strict: one.\n        held: another.\n    """\n\n'
        "    strict: bool = True\n    held: bool = False\n\n\n"
        '@stable(since="0.1.0")\ndef tool(name: str) -> None:\n    """A tool."""\n',
        "Config",
        "tool",
    )
)


def clause(name: str) -> Clause:
    """A clause of it."""
    return next(one for one in RELEASED.clauses if one.id == name)


def with_clause(name: str, **changes: Any) -> Planted:
    """It, with a clause changed."""
    return RELEASED.with_clause(replace(clause(name), **changes))


def noted(project: Planted, sort: str, line: str) -> Planted:
    """A project with a line in the changelog's unreleased section."""
    return project.edited(CHANGELOG, "## [Unreleased]\n", f"## [Unreleased]\n\n### {sort}\n\n- {line}\n")
