"""Every small mutant of the functions between the machine and a surface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager

from tools.mutants._code import Unit, site, swapped, units
from tools.mutants._mutant import Mutant
from tools.mutants._operators import Change, changes_of


def mutants_of_modules(modules: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[Mutant]:
    """Every mutant of every function of these modules.

    Args:
        modules: for each module and function, the clauses that it must keep; a function that has none is
            left as it is.
    """
    for module, of_functions in modules.items():
        for one in units(module):
            if clauses := of_functions.get(one.name):
                yield from _of_unit(one, tuple(clauses))


def _of_unit(one: Unit, clauses: tuple[str, ...]) -> Iterator[Mutant]:
    made: Counter[str] = Counter()
    for change in changes_of(one.node):
        name = f"{one.module.removeprefix('finalturn.')}.{one.name}: {change}"
        made[name] += 1
        number = made[name]
        yield Mutant(
            name=name if number == 1 else f"{name} ({number})",
            file=one.file,
            line=getattr(change.old, "lineno", change.statement.lineno),
            clauses=clauses,
            install=lambda change=change: _installed(one, change),  # type: ignore[misc]
            sites=frozenset({site(one, change.statement)}),
            units=(one,),
            pure=one.module.startswith("finalturn._core."),
        )


def _installed(one: Unit, change: Change) -> AbstractContextManager[None]:
    return swapped([(one, one.changed({change.old: change.new}))])
