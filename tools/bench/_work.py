"""A piece of work that is measured in several ways: by hand, by the agent, and by whoever else can do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tools.bench._figure import Bound, Figure, Section, Unit, ratio, times
from tools.bench._rounds import Case, in_rounds

RAW = "raw httpx2, its lines, JSON"
AGAIN = "the same raw loop again (noise)"
AGENT = "agent"


@dataclass(frozen=True)
class Work:
    """What is measured.

    Attributes:
        slug: its name in the JSON file.
        unit: of the times.
        cases: the ways to do it. `RAW` is what the others are measured by.
        bounds: what the ratio of a case to `RAW` may be.
        throughput: the ratio is the other way round: how much is done in the time.
    """

    slug: str
    title: str
    note: str
    unit: Unit
    cases: Mapping[str, Case]
    bounds: Mapping[str, Bound]
    throughput: bool = False


async def measured(work: Work, rounds: int) -> Section:
    """Measure it: times first, then ratios."""
    found = await in_rounds(work.cases, rounds)
    figures = [times(name, seconds, work.unit) for name, seconds in found.items()]
    figures += [_ratio(work, name, found[name], found[RAW]) for name in found if name != RAW]
    return Section(work.slug, work.title, work.note, tuple(figures))


def _ratio(work: Work, name: str, seconds: tuple[float, ...], raw: tuple[float, ...]) -> Figure:
    bound = work.bounds.get(name)
    if work.throughput:
        return ratio(f"raw / {name}", raw, seconds, bound)
    return ratio(f"{name} / raw", seconds, raw, bound)
