"""Kinds of drift between versions: Since, levels, and the places that name the version."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from finalturn.stability import NEXT
from tools.contractdocs._baseline import load
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_changelog import FILE as CHANGELOG
from tools.contractdocs._markdown_changelog import changelog
from tools.contractdocs._project import Project
from tools.contractdocs.render.values import VALUES

INIT = "src/finalturn/__init__.py"
VERSION = re.compile(r'^__version__(?P<type>: [\w\[\]]+)? = "(?P<version>[^"]*)"', re.MULTILINE)


def _things(project: Project) -> Iterator[tuple[str, str, str, str, int]]:
    """Kind, name, level, Since and place of everything that has them."""
    for clause in project.clauses:
        yield "clause", clause.id, clause.stability, clause.since, 0
    for symbol in project.api.symbols.values():
        if symbol.level and not re.match(r"\w+ = Clause\(", symbol.signature):
            yield symbol.kind, symbol.path, symbol.level, symbol.since, symbol.line


def _place(project: Project, name: str) -> tuple[str, int]:
    symbol = project.api.symbols.get(name)
    return (symbol.file, symbol.line) if symbol else project.place_of_clause(name)


def _released(project: Project, kind: str, name: str) -> tuple[str, str] | None:
    """Level and Since of a thing as it was released."""
    if project.baseline is None:
        return None
    if kind == "clause":
        clause = project.baseline.clauses.get(name)
        return (clause.stability, clause.since) if clause else None
    symbol = project.baseline.symbols.get(name)
    return (symbol.level, symbol.since) if symbol else None


def _in_the_past(project: Project) -> Iterator[Place]:
    for kind, name, _, since, _ in _things(project):
        if _released(project, kind, name) is None and since != NEXT:
            last = (
                f"the last release, {project.baseline.version}, did not have it"
                if project.baseline
                else "nothing was released yet"
            )
            yield at(*_place(project, name), name=name, since=since, last=last)


def _moved(project: Project) -> Iterator[Place]:
    for kind, name, _, since, _ in _things(project):
        old = _released(project, kind, name)
        if old is not None and old[1] and old[1] != since:
            yield at(*_place(project, name), name=name, was=old[1], since=since)


def _demoted(project: Project) -> Iterator[Place]:
    for kind, name, level, _, _ in _things(project):
        old = _released(project, kind, name)
        if old is not None and old[0] == "stable" and level == "beta":
            version = project.baseline.version if project.baseline else ""
            yield at(*_place(project, name), name=name, version=version)


def _left_behind(project: Project) -> Iterator[Place]:
    baseline = project.baseline
    if baseline is None:
        return
    since = {name: one.since for name, one in baseline.clauses.items()}
    since |= {name: one.since for name, one in baseline.symbols.items()}
    for name, version in since.items():
        if version == NEXT:
            yield at(
                baseline.file,
                project.line_of(baseline.file, f'"{name}"'),
                name=name,
                version=baseline.version,
            )


def _edited(project: Project) -> Iterator[Place]:
    baseline = project.baseline
    if baseline is not None and not baseline.intact:
        yield at(baseline.file, 1, said="it is not as make release wrote it")
    disk = load(project.files)
    last = changelog(project).released
    if disk is None and last:
        yield at(
            CHANGELOG, last[0].line, said=f"{last[0].version} is released, and tools/baseline has no release"
        )


def _mismatch(project: Project) -> Iterator[Place]:
    pyproject = tomllib.loads(project.files.get("pyproject.toml", "")).get("project", {}).get("version", "")
    match = VERSION.search(project.files.get(INIT, ""))
    init = match["version"] if match else ""
    line = project.line_of(INIT, "__version__ =") if match else 1
    if pyproject != init:
        yield at(INIT, line, said=f"__version__ is {init or 'not there'}; pyproject.toml says {pyproject}")
    baseline = project.baseline
    released = changelog(project).released
    if baseline is not None and pyproject != baseline.version:
        where = project.line_of("pyproject.toml", f'version = "{pyproject}"')
        yield at(
            "pyproject.toml",
            where,
            said=f"the version is {pyproject}; the last release is {baseline.version}",
        )
    if baseline is not None and (not released or released[0].version != baseline.version):
        newest = released[0].version if released else "none"
        said = f"its newest release is {newest}; the last release is {baseline.version}"
        yield at(CHANGELOG, released[0].line if released else 1, said=said)


def _limits(project: Project) -> Iterator[Place]:
    baseline, section = project.baseline, changelog(project).unreleased
    if baseline is None or section is None:
        return
    told = [entry.text for entry in section.entries.get("Changed", [])]
    for name, old in baseline.limits.items():
        new = VALUES[name](project) if name in VALUES else "gone"
        if new != old and not any(old in text and new in text for text in told):
            yield at(CHANGELOG, section.line, name=name, old=old, new=new, version=baseline.version)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT50",
        name="since-in-the-past",
        what="{name} is new, and says since {since}; {last}",
        remedy="since=NEXT; make release fills the version in",
        why="A Since that is typed by hand is wrong as soon as a release comes sooner or later than thought.",
        find=_in_the_past,
    ),
    Kind(
        code="FT51",
        name="since-moved",
        what="{name} was released as since {was}, and says since {since}",
        remedy="put {was} back",
        why="Since is a fact. Whoever pins a version by it gets one that lacks the name.",
        find=_moved,
    ),
    Kind(
        code="FT56",
        name="version-mismatch",
        what="{said}",
        remedy="only make release sets versions; undo the change",
        why="Bug reports, wheels and documents are matched by the version.",
        find=_mismatch,
    ),
    Kind(
        code="FT57",
        name="demoted",
        what="{name} was stable in {version}, and is beta",
        remedy="make it stable again, or deprecate it",
        why="Stable means that nobody needs to look again before the next major version.",
        find=_demoted,
    ),
    Kind(
        code="FT5A",
        name="next-left-behind",
        what="{name} was released in {version} as since NEXT",
        remedy="release with make release, which fills it in; mend the baseline by releasing again",
        why="NEXT that was released means a different version every time it is read.",
        find=_left_behind,
    ),
    Kind(
        code="FT5D",
        name="baseline-edited",
        what="{said}",
        remedy="restore it; only make release writes it",
        why="What was released is compared with what is. Whoever changes the first can hide anything.",
        find=_edited,
    ),
    Kind(
        code="FT5E",
        name="limit-changed",
        what="{name} was {old} in {version}, and is {new}",
        remedy="undo; or say so below Changed, with both",
        why=(
            "Some numbers stand in no signature: how many tools run at a time, how long one may take. Whoever"
            " upgrades wants to be told of them too."
        ),
        find=_limits,
    ),
)
