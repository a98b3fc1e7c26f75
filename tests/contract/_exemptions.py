"""Combinations that make no sense for a clause, and so need no proof. Each is shown on the clause's page."""

from __future__ import annotations

from dataclasses import dataclass

from finalturn.contract import NO_DOUBLED_TEXT, Clause, Surface
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS


@dataclass(frozen=True)
class Exemption:
    """For one clause on one surface, drivers and kinds of provider that nothing can be proved with.

    Attributes:
        clause: the clause.
        surface: the surface.
        drivers: names of drivers.
        kinds: names of kinds of provider.
        reason: why, as a sentence.
    """

    clause: Clause
    surface: Surface
    drivers: tuple[str, ...]
    kinds: tuple[str, ...]
    reason: str


WHOLE = ("whole-reply", "sync-whole-reply")
COMPLETE_WHEN_SHOWN = "A whole reply is complete before any of it is shown: no later failure can repeat it."

EXEMPTIONS: tuple[Exemption, ...] = (
    Exemption(
        clause=NO_DOUBLED_TEXT,
        surface=Surface.CHUNKS,
        drivers=tuple(CHUNK_DRIVERS),
        kinds=WHOLE,
        reason=COMPLETE_WHEN_SHOWN,
    ),
    Exemption(
        clause=NO_DOUBLED_TEXT,
        surface=Surface.TOKENS,
        drivers=tuple(TOKEN_DRIVERS),
        kinds=WHOLE,
        reason=COMPLETE_WHEN_SHOWN,
    ),
)
