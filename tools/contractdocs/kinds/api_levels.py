"""Levels, the versions that they hold since, and deprecations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.contractdocs._api import Symbol
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

VERSION = r"(?:NEXT|\d+\.\d+\.\d+)"


def _no_level(project: Project) -> Iterator[Place]:
    for symbol in project.api.symbols.values():
        if not symbol.level and symbol.parent not in project.api.symbols:
            yield at(symbol.file, symbol.line, path=symbol.path, how=_how(symbol))


def _how(symbol: Symbol) -> str:
    if symbol.kind in ("constant", "alias"):
        return f'stable(since=NEXT).constant(__name__, "{symbol.name}") below it'
    return "@stable(since=NEXT) or @beta(since=NEXT) above it"


def _no_version(project: Project) -> Iterator[Place]:
    symbols = project.api.symbols
    for symbol in symbols.values():
        parent = symbols.get(symbol.parent)
        inherited = parent is not None and (parent.level, parent.since) == (symbol.level, symbol.since)
        if symbol.level and not inherited and not re.fullmatch(VERSION, symbol.since):
            since = f"since {symbol.since!r}" if symbol.since else "without since"
            yield at(symbol.file, symbol.line, path=symbol.path, level=symbol.level, since=since)


def _useless(project: Project) -> Iterator[Place]:
    api = project.api
    for symbol in api.symbols.values():
        members = {member.name: member for member in api.members.get(symbol.path, ())}
        known = members.keys() | {one.name.lstrip("*") for one in symbol.parameters}
        for name in symbol.differing:
            if name not in known:
                what = f"names no field, parameter or method of {symbol.path}"
            elif name in members and _same(members[name], symbol):
                what = f"says what {symbol.path} says itself: {symbol.level} since {symbol.since}"
            else:
                continue
            yield at(symbol.file, symbol.line, name=name, what=what)


def _same(one: Symbol, other: Symbol) -> bool:
    return (one.level, one.since) == (other.level, other.since)


def _silent(project: Project) -> Iterator[Place]:
    for symbol in project.api.symbols.values():
        missing = [what for what, pattern in _WANTED if not re.search(pattern, symbol.deprecated)]
        if symbol.deprecated and missing:
            yield at(
                symbol.file,
                symbol.line,
                path=symbol.path,
                message=symbol.deprecated,
                missing=" nor ".join(missing),
            )


_WANTED = (
    ("the version that says so", rf"\bdeprecated in {VERSION}"),
    ("what to use instead", r"\buse \S"),
    ("the version of removal", r"\bremoved in \d+\.\d+\.\d+"),
)

KINDS = (
    Kind(
        code="FT41",
        name="no-level",
        what="{path} is public without a level",
        remedy="put {how}, or take it out of __all__",
        why=(
            "Whoever uses a public name wants to know how long it will keep its meaning. Without a level,"
            " they find out when it breaks."
        ),
        find=_no_level,
    ),
    Kind(
        code="FT4A",
        name="deprecated-silently",
        what="the deprecation of {path}, {message!r}, does not name {missing}",
        remedy='write "deprecated in NEXT: use X; removed in 2.0.0"',
        why=(
            "Editors show the message of a deprecation where the name is used. It is all that a user sees,"
            " so it says since when, what to use instead, and how long there is."
        ),
        find=_silent,
    ),
    Kind(
        code="FT4B",
        name="useless-marker",
        what="fields= has an entry {name!r} that {what}",
        remedy="correct its name, or delete the entry",
        why=(
            "An entry that says nothing is most often one whose field was renamed: the field has silently"
            " taken the level of its class, and a beta field is promised as a stable one."
        ),
        find=_useless,
    ),
    Kind(
        code="FT4C",
        name="no-version",
        what="{path} is {level} {since}, which is no version",
        remedy="write since=NEXT for what is new, or the version MAJOR.MINOR.PATCH that first had it",
        why=(
            "The version says which release a user needs. A placeholder other than NEXT is not filled in by"
            " make release, and stays in the documents for ever."
        ),
        find=_no_version,
    ),
)
