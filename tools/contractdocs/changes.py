"""What changed in the contract and the public names since the last release; what a changelog must say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import Baseline, ReleasedSymbol
from tools.contractdocs.changelog import Section
from tools.contractdocs.compare import changes
from tools.contractdocs.project import Project

MIGRATION = "Migration:"


class Difference(NamedTuple):
    """One thing that a user may notice: what happened to a clause or a public name, and where to look.

    Attributes:
        sorts: the headings of the changelog that it may stand under; the first is where it is drafted.
        breaks: whether something that a user may rely on is no longer so: wants a migration note.
        deprecated: whether the last release said that it would go.
    """

    sorts: tuple[str, ...]
    name: str
    said: str
    file: str
    line: int
    breaks: bool = False
    deprecated: bool = False

    @property
    def draft(self) -> str:
        """A line for the changelog."""
        note = f" {MIGRATION} TODO." if self.breaks else ""
        return f"`{self.name}`: {self.said}.{note}"


def differences(project: Project) -> list[Difference]:
    """Everything since the last release; nothing before the first."""
    baseline = project.baseline
    return [] if baseline is None else [*_clauses(project, baseline), *_symbols(project, baseline)]


def _clauses(project: Project, baseline: Baseline) -> Iterator[Difference]:
    for clause in project.clauses:
        name, (file, line) = clause.id, project.place_of_clause(clause.id)
        old = baseline.clauses.get(clause.id)
        if old is None:
            yield Difference(("Added",), name, "a new clause", file, line)
            continue
        if old.statement != clause.statement:
            yield Difference(("Changed",), name, "it says something else", file, line, breaks=True)
        if gone := sorted(set(old.surfaces) - set(clause.surfaces)):
            yield Difference(("Changed",), name, f"no longer on {', '.join(gone)}", file, line, breaks=True)
        if new := sorted(set(clause.surfaces) - set(old.surfaces)):
            yield Difference(("Changed", "Added"), name, f"on {', '.join(new)} too", file, line)
        if old.stability != clause.stability:
            yield Difference(("Changed",), name, f"{clause.stability} now", file, line)
        if clause.deprecation and not old.removal:
            said = f"deprecated, to be removed in {clause.deprecation.removal}"
            yield Difference(("Deprecated",), name, said, file, line)
    for gone_id in baseline.clauses.keys() - {clause.id for clause in project.clauses}:
        yield Difference(("Removed",), gone_id, "no longer promised", baseline.file, 1, breaks=True)


def _symbols(project: Project, baseline: Baseline) -> Iterator[Difference]:
    symbols = project.api.symbols
    for path, symbol in symbols.items():
        old, owner, place = (
            baseline.symbols.get(path),
            baseline.symbols.get(symbol.parent),
            (symbol.file, symbol.line),
        )
        if _is_clause(symbol.signature):
            continue
        if old is not None:
            yield from _changed(symbol, old, project, baseline)
        elif owner and symbol.kind == "parameter" and _has(owner.signature, symbol.name):
            yield Difference(("Changed",), short(path), f"{symbol.level} now", *place)
        # A new class or function names its members and parameters.
        elif owner or symbol.parent not in symbols:
            yield Difference(("Added",), short(path), f"a new {symbol.kind}", *place)
    for path, released in baseline.symbols.items():
        parent, _, name = path.rpartition(".")
        if path in symbols or _is_clause(released.signature):
            continue
        if released.kind == "parameter" and parent in symbols and _has(symbols[parent].signature, name):
            continue  # its level is that of its function now
        if parent not in baseline.symbols or parent in symbols:
            said, breaks = f"the {released.kind} is gone", released.level == "stable"
            where = baseline.file, 1
            yield Difference(("Removed",), short(path), said, *where, breaks, bool(released.deprecated))


def _has(signature: str, parameter: str) -> bool:
    return re.search(rf"\b{parameter}\b", signature) is not None


def _changed(
    symbol: Symbol, old: ReleasedSymbol, project: Project, baseline: Baseline
) -> Iterator[Difference]:
    name, place = short(symbol.path), (symbol.file, symbol.line)
    breaking: list[str] = []
    other: list[str] = []
    for one in changes(old, symbol):
        path = f"{symbol.path}.{one.about}"
        was, now = baseline.symbols.get(path), project.api.symbols.get(path)
        if one.about and (was and was.signature) != (now and now.signature):
            continue  # the field, or the parameter with a level of its own, says it itself
        (breaking if one.breaks and (was is None or was.level == "stable") else other).append(one.said)
    if breaking:
        yield Difference(("Changed", "Removed"), name, "; ".join(breaking), *place, old.level == "stable")
    elif other:
        yield Difference(("Changed", "Added"), name, "; ".join(other), *place)
    parent, owner = project.api.symbols.get(symbol.parent), baseline.symbols.get(symbol.parent)
    follows = parent and owner and (owner.level, parent.level) == (old.level, symbol.level)
    if old.level and symbol.level != old.level and not follows:
        yield Difference(("Changed",), name, f"{symbol.level or 'without a level'} now", *place)
    if symbol.deprecated and not old.deprecated:
        yield Difference(("Deprecated",), name, "deprecated", *place)


def _is_clause(signature: str) -> bool:
    return re.match(r"\w+ = Clause\(", signature) is not None


def short(path: str) -> str:
    """Without the modules: ``Agent.run``; a module's lower-case name keeps its module."""
    parts = path.split(".")
    for number, part in enumerate(parts):
        if part[:1].isupper() or part.startswith("__"):
            return ".".join(parts[number:])
    return ".".join(parts[1:])


def silent(project: Project, section: Section) -> list[tuple[Difference, str]]:
    """The differences that a section of the changelog does not tell, and what it lacks."""
    found: list[tuple[Difference, str]] = []
    for one in differences(project):
        entries = [text for sort in one.sorts for text in section.entries.get(sort, [])]
        named = [text for text in entries if _names(text, one.name)]
        if not named:
            found.append((one, f"nothing under {' or '.join(one.sorts)} names it"))
        elif one.breaks and not any(MIGRATION in text and "TODO" not in text for text in named):
            found.append((one, f'its line has no "{MIGRATION}"'))
    return found


def _names(text: str, name: str) -> bool:
    """Whether a line names something in code letters: whole, or as the class and the member apart."""
    code = " ".join(re.findall(r"`([^`]+)`", text))

    def holds(word: str) -> bool:
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", code) is not None

    owner, _, member = name.rpartition(".")
    return holds(name) or (bool(owner) and holds(owner) and holds(member))
