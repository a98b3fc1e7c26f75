"""What the load has found."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

WARM = 1 / 3
"""How much of the time passes before memory counts: what is kept for a while is there by then."""

WINDOW = 1 / 6
"""Over how much of the time it is looked at, there and at the end."""

SLACK = 16 * 1024 * 1024
"""Bytes that memory may grow by: what an allocator keeps is no whole number of turns."""

SHARE = 0.10
"""Of the memory after warming up: by so much it may grow, too."""


@dataclass
class Health:
    """How the server was in one second: bytes of memory, and how late its event loop was, in seconds."""

    after: float
    memory: int
    lags: list[float]


@dataclass
class Found:
    """What clients and server have seen."""

    first: list[float] = field(default_factory=list[float])
    gaps: list[float] = field(default_factory=list[float])
    turns: list[float] = field(default_factory=list[float])
    ends: dict[str, list[float]] = field(default_factory=lambda: {"alone": [], "saved": []})
    streams: Counter[str] = field(default_factory=Counter[str])
    records: int = 0
    resumed: int = 0
    refused: int = 0
    sessions: int = 0
    seconds: float = 0.0
    most: int = 0
    wrong: list[str] = field(default_factory=list[str])
    health: list[Health] = field(default_factory=list[Health])

    def growth(self) -> tuple[int, int]:
        """Bytes of memory after warming up, and in the end: each the median of a sixth of the seconds."""
        some = max(1, round(len(self.health) * WINDOW))
        warm = self.health[round(len(self.health) * WARM) :] or self.health
        return _median(warm[:some]), _median(warm[-some:])

    def grows(self) -> bool:
        """Whether memory is not flat."""
        early, late = self.growth()
        return late - early > SLACK + SHARE * early


def _median(health: Sequence[Health]) -> int:
    return int(statistics.median(one.memory for one in health))


def spread(seconds: Sequence[float]) -> str:
    """Median, 95th and 99th percentile and maximum, in ms."""
    if not seconds:
        return "none"
    ordered = sorted(seconds)
    at = [ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in (0.5, 0.95, 0.99)]
    named = zip(("median", "p95", "p99", "max"), [*at, ordered[-1]], strict=True)
    return "  ".join(f"{name} {value * 1000:8.1f}" for name, value in named)


def report(found: Found) -> str:
    """The figures, as text."""
    total = sum(found.streams.values())
    each = ", ".join(f"{count} {path}" for path, count in sorted(found.streams.items()))
    lags = [lag for one in found.health for lag in one.lags]
    lines = [
        f"streams            {total} ended, at most {found.most} at once: {each}",
        f"records            {found.records}, {found.records / found.seconds:.0f}/s",
        f"resumed            {found.resumed}",
        f"told to come back  {found.refused}",
        f"sessions           {found.sessions} read back, whole and in order",
        f"first record, ms   {spread(found.first)}",
        f"between reads, ms  {spread(found.gaps)}",
        f"whole turn, ms     {spread(found.turns)}",
        *(f"{'result, ' + name + ', ms':<18} {spread(times)}" for name, times in found.ends.items()),
        f"loop lag, ms       {spread(lags)}",
        f"memory, MB         {_memory(found.health)}",
        f"wrong              {len(found.wrong)}",
    ]
    return "\n".join([*lines, *(f"  {one}" for one in found.wrong[:10])])


def _memory(health: Sequence[Health]) -> str:
    marks = [10.0, 30.0, 60.0]
    chosen = [next((one for one in health if one.after >= mark), None) for mark in marks]
    shown = [one for one in (*chosen, health[-1]) if one is not None]
    parts = [
        f"{one.memory / 1e6:.1f} at {one.after:.0f} s" for one in {id(one): one for one in shown}.values()
    ]
    return ", ".join(parts)
