"""A figure of the benchmark: what was measured in each round, and what it may be."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

Unit: TypeAlias = Literal["ms", "µs", "ns", "x", "KB", "B", "%"]

SECONDS: dict[Unit, float] = {"ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
"""How long each unit of time is."""


class Bound(NamedTuple):
    """What a median may be.

    Attributes:
        work: the row of the table of bounds that the figure is; ``""`` when it is in none.
    """

    limit: float
    side: Literal["at most", "at least"] = "at most"
    work: str = ""

    def __str__(self) -> str:
        return f"{self.side} {self.limit:g}"


@dataclass(frozen=True)
class Figure:
    """One row of a section.

    Attributes:
        values: one for each round, in the figure's unit.
        unit: of time or memory, or ``"x"`` for a ratio.
        bound: what the median may be; ``None`` when nothing is promised.
    """

    name: str
    values: tuple[float, ...]
    unit: Unit
    bound: Bound | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def over(self) -> bool:
        """Whether the median is on the wrong side of the bound."""
        if self.bound is None:
            return False
        if self.bound.side == "at least":
            return self.median < self.bound.limit
        return self.median > self.bound.limit

    def as_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "bound": None if self.bound is None else str(self.bound),
            "work": None if self.bound is None else self.bound.work or None,
            "over": self.over,
        }


@dataclass(frozen=True)
class Section:
    """Figures that belong together: measured in the same rounds.

    Attributes:
        slug: its name in the JSON file.
        note: what was done, in a sentence or two.
    """

    slug: str
    title: str
    note: str
    figures: tuple[Figure, ...]


def times(name: str, seconds: tuple[float, ...], unit: Unit, bound: Bound | None = None) -> Figure:
    """A figure of times that were measured in seconds."""
    return Figure(name, tuple(second / SECONDS[unit] for second in seconds), unit, bound)


def ratio(
    name: str, seconds: tuple[float, ...], reference: tuple[float, ...], bound: Bound | None = None
) -> Figure:
    """How many times the reference something costs, round by round: a busy moment hits both."""
    quotients = tuple(one / other for one, other in zip(seconds, reference, strict=True))
    return Figure(name, quotients, "x", bound)
