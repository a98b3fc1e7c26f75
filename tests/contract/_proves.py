"""``@proves(CLAUSE)``: this test proves a clause, on every surface, driver and kind of provider."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from finalturn.contract import Clause, Surface
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._http_drivers import HTTP_DRIVERS, HTTP_STREAM_DRIVERS
from tests.contract._play import KINDS, WITH_EVERY_KIND, Play

Test = TypeVar("Test", bound=Callable[..., object])

SHOWING = (*CHUNK_DRIVERS, *TOKEN_DRIVERS, *HTTP_STREAM_DRIVERS)
"""The drivers on which text is shown as it comes."""

IN_PROCESS = (*CHUNK_DRIVERS, *TOKEN_DRIVERS)
"""The drivers that are called in the agent's own process."""

STREAMING = (*CHUNK_DRIVERS, *HTTP_STREAM_DRIVERS)
"""The drivers that show all of a turn."""

PROOFS: dict[str, list[Callable[..., object]]] = {}
"""The tests that prove each clause, by its id."""


def drivers_of(clauses: Iterable[Clause]) -> list[str]:
    """The drivers on which these clauses can be observed."""
    surfaces = frozenset[Surface]().union(*(clause.surfaces for clause in clauses))
    if surfaces <= {Surface.HTTP}:
        return list(HTTP_DRIVERS)
    if surfaces <= {Surface.CHUNKS, Surface.HTTP}:
        return [*CHUNK_DRIVERS, *HTTP_STREAM_DRIVERS]
    if surfaces <= {Surface.TOKENS, Surface.HTTP}:
        return [*TOKEN_DRIVERS, *HTTP_STREAM_DRIVERS]
    return [*CHUNK_DRIVERS, *TOKEN_DRIVERS, *HTTP_DRIVERS]


def proves(
    *clauses: Clause, drivers: Iterable[str] | None = None, kinds: Iterable[str] = KINDS
) -> Callable[[Test], Test]:
    """Mark a test as proof of clauses; it is run for each driver with each kind of provider.

    What it is parametrized with as well are its scenarios. Each is run with every driver and with every kind;
    the other pairs of driver and kind are shared out among the scenarios.

    Args:
        clauses: what it proves.
        drivers: fewer drivers than the clauses' surfaces have, where a scenario makes sense on these only.
        kinds: fewer kinds of providers, likewise.
    """
    chosen = list(drivers) if drivers is not None else drivers_of(clauses)
    plays = [Play(driver, kind, sockets=False) for driver in chosen for kind in kinds]

    def mark(test: Test) -> Test:
        for clause in clauses:
            PROOFS.setdefault(clause.id, []).append(test)
        names, scenarios = _scenarios_of(test)
        cases = [
            pytest.param(play, *values, id="-".join([*ids, play.driver, play.kind]))
            for (ids, values), share in zip(scenarios, _shared_out(plays, len(scenarios)), strict=True)
            for play in share
        ]
        marked: Test = pytest.mark.parametrize(("play", *names), cases)(test)
        return marked

    return mark


def _shared_out(plays: Sequence[Play], scenarios: int) -> list[list[Play]]:
    """The plays of each scenario; together they are all plays."""
    loops = {play.driver for play in plays} & WITH_EVERY_KIND or {plays[0].driver}
    every = [play for play in plays if play.kind == plays[0].kind or play.driver in loops]
    others = [play for play in plays if play not in every]
    return [every + others[number::scenarios] for number in range(scenarios)]


def _scenarios_of(test: Callable[..., object]) -> tuple[list[str], list[tuple[list[str], list[Any]]]]:
    """The names that a test is parametrized with, and for each choice of values its ids and the values.

    The marks are taken from the test.
    """
    marks: list[pytest.Mark] = getattr(test, "pytestmark", [])
    own = [mark for mark in marks if mark.name == "parametrize"]
    marks[:] = [mark for mark in marks if mark.name != "parametrize"]
    names = [name for mark in own for name in _names(mark)]
    choices = [list(_choices(mark)) for mark in own]
    return names, [
        ([identifier for identifier, _ in choice], [value for _, values in choice for value in values])
        for choice in itertools.product(*choices)
    ]


def _names(mark: pytest.Mark) -> list[str]:
    names: str | Sequence[str] = mark.args[0]
    return [names] if isinstance(names, str) else list(names)


def _choices(mark: pytest.Mark) -> Iterator[tuple[str, tuple[Any, ...]]]:
    names, ids = _names(mark), mark.kwargs.get("ids")
    for place, value in enumerate(mark.args[1]):
        values: tuple[Any, ...] = (value,) if len(names) == 1 else tuple(value)
        if ids is None:
            yield value if isinstance(value, str) else f"{names[0]}{place}", values
        else:
            yield str(ids(value) if callable(ids) else ids[place]), values
