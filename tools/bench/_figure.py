"""A figure of the benchmark: what was measured in each round, and what it may be."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Unit: TypeAlias = Literal["ms", "µs", "ns", "x"]

SECONDS: dict[Unit, float] = {"ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
"""How long each unit of time is."""


@dataclass(frozen=True)
class Figure:
    """One row of the table.

    Attributes:
        values: one for each round, in the figure's unit.
        unit: of time, or ``"x"`` for a ratio.
        bound: the most that the median may be; ``None`` when nothing is promised.
        aim: what it is to come down to.
    """

    name: str
    values: tuple[float, ...]
    unit: Unit
    bound: float | None = None
    aim: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def over(self) -> bool:
        """Whether the median is over the bound."""
        return self.bound is not None and self.median > self.bound

    def as_json(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "name": self.name,
            "unit": self.unit,
            "median": self.median,
            "min": min(self.values),
            "max": max(self.values),
            "rounds": list(self.values),
            "bound": self.bound,
            "aim": self.aim,
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


def times(name: str, seconds: tuple[float, ...], unit: Unit, bound: float | None = None) -> Figure:
    """A figure of times that were measured in seconds."""
    return Figure(name, tuple(second / SECONDS[unit] for second in seconds), unit, bound)


def ratio(
    name: str,
    seconds: tuple[float, ...],
    reference: tuple[float, ...],
    *,
    bound: float | None = None,
    aim: float | None = None,
) -> Figure:
    """How many times the reference something costs, round by round: a busy moment hits both."""
    quotients = tuple(one / other for one, other in zip(seconds, reference, strict=True))
    return Figure(name, quotients, "x", bound, aim)
