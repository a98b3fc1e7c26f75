"""``@proves(CLAUSE)``: this test proves a clause, on every surface, driver and kind of provider."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

from finalturn.contract import Clause, Surface
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._http_drivers import HTTP_DRIVERS, HTTP_STREAM_DRIVERS
from tests.contract._play import KINDS, Play

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
    """Mark a test as proof of clauses; it is run once for each driver and kind of provider.

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
        ids = [f"{play.driver}-{play.kind}" for play in plays]
        marked: Test = pytest.mark.parametrize("play", plays, ids=ids)(test)
        return marked

    return mark
