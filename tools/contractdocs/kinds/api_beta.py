"""What is stable speaks of what is beta only to exclude it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.contractdocs._api import Api, Symbol
from tools.contractdocs._api_docstring import entries
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

# What excludes a thing: the words before its name, and those after it.
_BEFORE = re.compile(
    r"\b(?:without|unless|except|except with|except for|but for|other than|apart from|outside|not)"
    r"\W+(?:an?\W+|the\W+)?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"^\W*(?:(?:is|are) (?:not|off|false|unset)\b|apart\b|aside\b|= ?False\b)", re.IGNORECASE)


@dataclass(frozen=True)
class BetaName:
    """A beta thing, and how a text mentions it."""

    path: str
    word: str
    pattern: re.Pattern[str]


def beta_names(project: Project) -> Iterator[BetaName]:
    """Every beta thing, and every beta clause."""
    symbols = project.api.symbols
    for symbol in symbols.values():
        parent = symbols.get(symbol.parent)
        if symbol.level == "beta" and (parent is None or parent.level != "beta"):
            yield BetaName(symbol.path, symbol.name, _mention(symbol.name, parent))
    for clause in project.clauses:
        if clause.stability == "beta":
            yield BetaName(clause.id, clause.id, _mention(clause.id, None))


def _mention(name: str, parent: Symbol | None) -> re.Pattern[str]:
    """A name that is a word of the language too counts only as code, and a member only with its class."""
    word = re.escape(name)
    if not re.fullmatch(r"[A-Z]?[a-z]+", name):
        return re.compile(rf"(?<![\w-]){word}(?![\w-])")
    return re.compile(rf"`{word}(?:\(\))?`" if parent is None else rf"\b{parent.name}\.{word}\b")


def speaks_of(text: str, name: BetaName) -> bool:
    """Whether a text mentions it otherwise than to exclude it."""
    if name.word not in text:
        return False
    flat = " ".join(text.split())
    return any(
        not _BEFORE.search(flat[: match.start()].rstrip("`")) and not _AFTER.search(flat[match.end() :])
        for match in name.pattern.finditer(flat)
    )


def _texts(project: Project) -> Iterator[tuple[str, int, str, str]]:
    """What is stable: where it is, its name, and what it says."""
    for symbol in project.api.symbols.values():
        if symbol.level != "stable":
            continue
        if symbol.kind in ("field", "member", "parameter"):
            yield symbol.file, symbol.line, symbol.path, symbol.docstring
            continue
        found = entries(symbol.docstring)
        differing = _beta_members(project.api, symbol)
        arguments = [text for name, text in found.arguments.items() if name not in differing]
        text = "\n\n".join([found.prose, *arguments, *found.raises.values()])
        yield symbol.file, symbol.line, symbol.path, text
    for clause in project.clauses:
        if clause.stability == "stable":
            file, line = project.place_of_clause(clause.id)
            yield file, line, clause.id, f"{clause.statement} {clause.why}"


def _beta_members(api: Api, symbol: Symbol) -> set[str]:
    return {one.name for one in api.members.get(symbol.path, ()) if one.level == "beta"}


def _on_beta(project: Project) -> Iterator[Place]:
    symbols = project.api.symbols
    for symbol in symbols.values():
        if symbol.level != "stable":
            continue
        of_members = {path for one in project.api.members.get(symbol.path, ()) for path in one.mentions}
        for path in sorted(symbol.mentions - of_members):
            if path in symbols and symbols[path].level == "beta":
                yield at(symbol.file, symbol.line, path=symbol.path, how="has in its signature", beta=path)
    names = list(beta_names(project))
    for file, line, path, text in _texts(project):
        for name in names:
            if speaks_of(text, name):
                yield at(file, line, path=path, how="speaks of", beta=name.path)


KINDS = (
    Kind(
        code="FT49",
        name="stable-mentions-beta",
        what="{path} is stable and {how} {beta}, which is beta",
        remedy="make it beta, promote the other, or say that it holds without the other",
        why=(
            "A stable promise that leans on a beta thing changes when the beta thing does, in a minor"
            " release. Whoever relied on it was promised otherwise."
        ),
        find=_on_beta,
    ),
)
