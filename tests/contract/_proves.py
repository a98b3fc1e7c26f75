"""``@proves(CLAUSE)``: this test proves a clause, on every surface, driver and kind of provider."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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
            pytest.param(
                play,
                *scenario.values,
                id="-".join([*scenario.ids, play.driver, play.kind]),
                marks=scenario.marks,
            )
            for scenario, share in zip(scenarios, _shared_out(plays, len(scenarios)), strict=True)
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


@dataclass(frozen=True)
class _Scenario:
    """One choice of the values that a test is parametrized with."""

    ids: tuple[str, ...] = ()
    values: tuple[Any, ...] = ()
    marks: tuple[Any, ...] = ()

    def __add__(self, other: _Scenario) -> _Scenario:
        return _Scenario(self.ids + other.ids, self.values + other.values, self.marks + other.marks)


def _scenarios_of(test: Callable[..., object]) -> tuple[list[str], list[_Scenario]]:
    """The names that a test is parametrized with, and every choice of their values.

    The marks are taken from the test.
    """
    marks: list[pytest.Mark] = getattr(test, "pytestmark", [])
    own = [_Parameters(*mark.args, **mark.kwargs) for mark in marks if mark.name == "parametrize"]
    marks[:] = [mark for mark in marks if mark.name != "parametrize"]
    names = [name for parameters in own for name in parameters.names]
    choices = itertools.product(*(list(parameters.scenarios()) for parameters in own))
    return names, [sum(choice, _Scenario()) for choice in choices]


class _Parameters:
    """What ``pytest.mark.parametrize`` is given."""

    def __init__(
        self,
        argnames: str | Sequence[str],
        argvalues: Iterable[Any],
        ids: Sequence[str] | Callable[[Any], str] | None = None,
    ) -> None:
        written = argnames.split(",") if isinstance(argnames, str) else argnames
        self.names = [name.strip() for name in written]
        self._values, self._ids = list(argvalues), ids

    def scenarios(self) -> Iterator[_Scenario]:
        for place, value in enumerate(self._values):
            # What pytest.param gives has its own id and marks, and its values in a tuple.
            param = value if hasattr(value, "marks") and hasattr(value, "values") else None
            values = tuple(param.values) if param else (value,) if len(self.names) == 1 else tuple(value)
            own_id = param.id if param and param.id else self._id(place, value)
            yield _Scenario((own_id,), values, tuple(param.marks) if param else ())

    def _id(self, place: int, value: Any) -> str:
        if self._ids is None:
            return value if isinstance(value, str) else f"{self.names[0]}{place}"
        return str(self._ids(value) if callable(self._ids) else self._ids[place])
