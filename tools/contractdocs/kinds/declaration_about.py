"""A clause speaks of public things, of as stable ones as itself, and claims only surfaces that show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from finalturn._support.public_home import defined_in
from finalturn.contract import Clause
from tools.contractdocs._api import Symbol
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

CARRIED_BY: Mapping[str, frozenset[str]] = {
    "finalturn.StreamEvent": frozenset({"chunks", "http"}),
    # A client over HTTP is told what a handler is.
    "finalturn.StreamHandler": frozenset({"tokens", "http"}),
    "finalturn.ModelRequest": frozenset({"request"}),
    "finalturn.Usage": frozenset({"result", "http"}),
    "finalturn.SessionStore": frozenset({"history", "result", "http"}),
    "finalturn.ToolCall": frozenset({"chunks", "result", "history", "request", "http"}),
    "finalturn.Message": frozenset({"chunks", "result", "history", "request", "http"}),
    "finalturn.serve.create_app": frozenset({"http"}),
    "finalturn.serve.create_router": frozenset({"http"}),
}
"""Where things can be seen, of which not every surface shows something."""


def _home(thing: object) -> str:
    return f"{defined_in(thing) or '?'}.{getattr(thing, '__qualname__', repr(thing))}"


def _about(project: Project) -> Iterator[tuple[Clause, str, Symbol | None]]:
    """Each thing that a clause is about: where it is defined, and as what it is public."""
    by_home = {symbol.home: symbol for symbol in project.api.symbols.values()}
    for clause in project.clauses:
        for thing in clause.about:
            if isinstance(thing, str):
                # It needs an extra: its public name stands there itself.
                yield clause, thing, project.api.symbols.get(thing)
            else:
                home = _home(thing)
                yield clause, home, by_home.get(home)


def _private(project: Project) -> Iterator[Place]:
    for clause, home, symbol in _about(project):
        if symbol is None:
            yield at(*project.place_of_clause(clause.id), clause=clause.id, home=home)


def _nothing(project: Project) -> Iterator[Place]:
    for clause in project.clauses:
        if not clause.about:
            yield at(*project.place_of_clause(clause.id), clause=clause.id)


def _on_beta(project: Project) -> Iterator[Place]:
    for clause, _, symbol in _about(project):
        if clause.stability == "stable" and symbol is not None and symbol.level == "beta":
            yield at(*project.place_of_clause(clause.id), clause=clause.id, symbol=symbol.path)


def _cannot_say(project: Project) -> Iterator[Place]:
    for clause, _, symbol in _about(project):
        shown = CARRIED_BY.get(symbol.path) if symbol is not None else None
        if symbol is None or shown is None:
            continue
        for surface in sorted(clause.surfaces - shown):
            yield at(
                *project.place_of_clause(clause.id),
                clause=clause.id,
                surface=surface.value,
                symbol=symbol.path,
                shown=", ".join(sorted(shown)),
            )


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT03",
        name="about-private",
        what="{clause} speaks of {home}, which is not public",
        remedy="speak of a public thing, or export it",
        why="A promise about a thing that nobody may import cannot be relied on.",
        find=_private,
    ),
    Kind(
        code="FT04",
        name="stable-on-beta",
        what="{clause} is stable, and speaks of {symbol}, which is beta",
        remedy="make the clause beta, or the thing stable",
        why="A stable promise is kept until a major release; a beta thing may change before.",
        find=_on_beta,
    ),
    Kind(
        code="FT05",
        name="surface-cannot-say",
        what="{clause} claims the surface {surface}, which shows no {symbol}; that is seen on: {shown}",
        remedy="drop the surface",
        why="What a surface cannot show cannot be broken there, so that its proof there is empty.",
        find=_cannot_say,
    ),
    Kind(
        code="FT06",
        name="nothing-about",
        what="{clause} speaks of no public thing",
        remedy="name in about= what it is a promise of",
        why="The reference shows a promise with the things that it is about: this one nobody would find.",
        find=_nothing,
    ),
)
