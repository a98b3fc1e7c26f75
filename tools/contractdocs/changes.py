"""What changed in the contract and the public names since the last release; what a changelog must say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import Baseline, ReleasedSymbol
from tools.contractdocs.changelog import Section
from tools.contractdocs.compare import changes
from tools.contractdocs.project import Project

MIGRATION = "Migration:"


@dataclass(frozen=True)
class Difference:
    """One thing that a user may notice.

    Attributes:
        sorts: the headings of the changelog that it may stand under; the first is where it is drafted.
        name: of the clause or the public name.
        said: what happened to it.
        file: where to look.
        line: there.
        breaks: whether something that a user may rely on is no longer so: wants a migration note.
    """

    sorts: tuple[str, ...]
    name: str
    said: str
    file: str
    line: int
    breaks: bool = False

    @property
    def draft(self) -> str:
        """A line for the changelog."""
        note = f" {MIGRATION} TODO." if self.breaks else ""
        return f"- `{self.name}`: {self.said}.{note}"


def differences(project: Project) -> list[Difference]:
    """Everything since the last release; nothing before the first."""
    baseline = project.baseline
    return [] if baseline is None else [*_clauses(project, baseline), *_symbols(project, baseline)]


def _clauses(project: Project, baseline: Baseline) -> Iterator[Difference]:
    for clause in project.clauses:
        file, line = project.place_of_clause(clause.id)
        old = baseline.clauses.get(clause.id)
        if old is None:
            yield Difference(("Added",), clause.id, "a new clause", file, line)
            continue
        if old.statement != clause.statement:
            yield Difference(("Changed",), clause.id, "it says something else", file, line, breaks=True)
        if set(old.surfaces) - set(clause.surfaces):
            gone = ", ".join(sorted(set(old.surfaces) - set(clause.surfaces)))
            yield Difference(("Changed",), clause.id, f"no longer on {gone}", file, line, breaks=True)
        if new := sorted(set(clause.surfaces) - set(old.surfaces)):
            yield Difference(("Changed", "Added"), clause.id, f"on {', '.join(new)} too", file, line)
        if old.stability != clause.stability:
            yield Difference(("Changed",), clause.id, f"{clause.stability} now", file, line)
        if clause.deprecation and not old.removal:
            said = f"deprecated, to be removed in {clause.deprecation.removal}"
            yield Difference(("Deprecated",), clause.id, said, file, line)
    for name in baseline.clauses:
        if all(clause.id != name for clause in project.clauses):
            yield Difference(("Removed",), name, "no longer promised", baseline.file, 1, breaks=True)


def _symbols(project: Project, baseline: Baseline) -> Iterator[Difference]:
    for path, symbol in project.api.symbols.items():
        old = baseline.symbols.get(path)
        if old is None:
            if not _is_implied(symbol, project, baseline):
                yield Difference(("Added",), short(path), f"a new {symbol.kind}", symbol.file, symbol.line)
        elif not _is_clause(symbol.signature):
            yield from _changed(symbol, old, project, baseline)
    for path, released in baseline.symbols.items():
        parent = path.rpartition(".")[0]
        if path in project.api.symbols or released.kind == "parameter" or _is_clause(released.signature):
            continue
        if parent in baseline.symbols and parent not in project.api.symbols:
            continue  # its class is gone, and named
        said = f"the {released.kind} is gone"
        yield Difference(("Removed",), short(path), said, baseline.file, 1, breaks=released.level == "stable")


def _changed(
    symbol: Symbol, old: ReleasedSymbol, project: Project, baseline: Baseline
) -> Iterator[Difference]:
    name, file, line = short(symbol.path), symbol.file, symbol.line
    breaking, other = _changes(symbol, old, project, baseline)
    if breaking:
        breaks = old.level == "stable"
        yield Difference(("Changed", "Removed"), name, "; ".join(breaking), file, line, breaks=breaks)
    elif other:
        yield Difference(("Changed", "Added"), name, "; ".join(other), file, line)
    if old.level and symbol.level != old.level and not _follows(symbol, old.level, project, baseline):
        yield Difference(("Changed",), name, f"{symbol.level or 'without a level'} now", file, line)
    if symbol.deprecated and not old.deprecated:
        yield Difference(("Deprecated",), name, "deprecated", file, line)


def _is_implied(symbol: Symbol, project: Project, baseline: Baseline) -> bool:
    """Whether another difference says it: of its class, of its function or of its clause."""
    new_parent = symbol.parent in project.api.symbols and symbol.parent not in baseline.symbols
    return symbol.kind == "parameter" or new_parent or _is_clause(symbol.signature)


def _is_clause(signature: str) -> bool:
    return bool(re.match(r"\w+ = Clause\(", signature))


def _changes(
    symbol: Symbol, old: ReleasedSymbol, project: Project, baseline: Baseline
) -> tuple[list[str], list[str]]:
    """What breaks code that uses a name, and what else differs; without what its fields say themselves."""
    breaking: list[str] = []
    other: list[str] = []
    for one in changes(old, symbol):
        path = f"{symbol.path}.{one.about}"
        was, now = baseline.symbols.get(path), project.api.symbols.get(path)
        if one.about and (was is None) != (now is None):
            continue
        if was is not None and now is not None and was.signature != now.signature:
            continue
        (breaking if one.breaks and (was is None or was.level == "stable") else other).append(one.said)
    return breaking, other


def _follows(symbol: Symbol, old: str, project: Project, baseline: Baseline) -> bool:
    """Whether a member's level only changed with its class's."""
    parent, was = project.api.symbols.get(symbol.parent), baseline.symbols.get(symbol.parent)
    return parent is not None and was is not None and was.level == old and parent.level == symbol.level


def short(path: str) -> str:
    """Without the modules: ``Agent.run``; a module's lower-case name keeps its module."""
    parts = path.split(".")
    for number, part in enumerate(parts):
        if part[:1].isupper() or part.startswith("__"):
            return ".".join(parts[number:])
    return ".".join(parts[1:]) if len(parts) > 2 else path.rpartition(".")[2]


def silent(project: Project, section: Section | None) -> list[tuple[Difference, str]]:
    """The differences that a section of the changelog does not tell, and what it lacks."""
    found: list[tuple[Difference, str]] = []
    for one in differences(project):
        entries = [
            entry.text for sort in one.sorts for entry in (section.entries if section else {}).get(sort, [])
        ]
        named = [text for text in entries if _names(text, one.name)]
        if not named:
            found.append((one, f"nothing under {' or '.join(one.sorts)} names it"))
        elif one.breaks and not any(MIGRATION in text for text in named):
            found.append((one, f'its line has no "{MIGRATION}"'))
    return found


def _names(text: str, name: str) -> bool:
    """Whether a line names something: whole, or as the class and the member apart."""
    spans = re.findall(r"`([^`]+)`", text)
    if any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", span) for span in spans):
        return True
    owner, _, member = name.rpartition(".")
    return bool(owner) and all(
        any(re.search(rf"(?<![\w-]){re.escape(part)}(?![\w-])", span) for span in spans)
        for part in (owner, member)
    )
