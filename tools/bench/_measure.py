"""Measuring CPU time, in rounds in which every case has its turn; figures, and how they are shown."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import textwrap
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from types import TracebackType
from typing import Any, Literal, NamedTuple, Self, TypeAlias

Unit: TypeAlias = Literal["ms", "µs", "x", "KB", "%"]
Case: TypeAlias = Callable[[], Awaitable[float]]
"""Does the work once, and gives the CPU seconds of one unit of it."""

SECONDS: dict[Unit, float] = {"ms": 1e-3, "µs": 1e-6}
GC_SETTINGS = (
    "GC on, with Python's own thresholds; before each measurement it collects, and freezes the rest."
)


@dataclass(frozen=True)
class Plan:
    """How much to measure.

    Attributes:
        rounds: how often each case is measured.
        slow_rounds: likewise, where a case takes long.
        deltas: of a long stream.
        paced: deltas of a stream that comes piece by piece.
        turns: whole turns in one measurement.
        history: messages of a long history.
        tools: how many tools an agent has.
        streams: streams at once, and the deltas of each.
        talk: turns of a long conversation.
        talks: how many such conversations.
    """

    rounds: int = 21
    slow_rounds: int = 11
    deltas: int = 2000
    paced: int = 100
    turns: int = 10
    history: int = 5000
    tools: int = 100
    streams: tuple[int, int] = (200, 200)
    talk: int = 500
    talks: int = 3


QUICK = Plan(1, 1, deltas=60, paced=5, turns=1, history=50, tools=3, streams=(3, 10), talk=6)
"""Enough to see that everything runs."""

WITH_PEERS = Plan(rounds=7, slow_rounds=3)
"""Other libraries take up to hundreds of times as long."""


class Bound(NamedTuple):
    """What a median may be.

    Attributes:
        work: the row of the table of bounds that the figure is; ``""`` when it is in none.
    """

    limit: float
    work: str = ""
    side: Literal["at most", "at least"] = "at most"

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
        sign = -1 if self.bound.side == "at least" else 1
        return sign * self.median > sign * self.bound.limit

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
    """Figures that were measured in the same rounds.

    Attributes:
        slug: its name in the JSON file.
        note: what was done, in a sentence or two.
    """

    slug: str
    title: str
    note: str
    figures: tuple[Figure, ...]


class Cpu:
    """The CPU seconds that this process spends in the block, in all its threads.

    The garbage of what went before is not counted, nor is what is still alive gone through again.
    """

    seconds = 0.0

    def __enter__(self) -> Self:
        gc.collect()
        gc.freeze()
        self._start = time.process_time()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.process_time() - self._start
        gc.unfreeze()


async def in_rounds(cases: Mapping[str, Case], rounds: int) -> dict[str, tuple[float, ...]]:
    """Measure each case once a round. One round more goes first and is not counted.

    Every round begins with another case, so that none gains from what precedes it.
    """
    names = list(cases)
    measured: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        await cases[name]()
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            measured[name].append(await cases[name]())
    return {name: tuple(seconds) for name, seconds in measured.items()}


def times(name: str, seconds: tuple[float, ...], unit: Unit, bound: Bound | None = None) -> Figure:
    """A figure of times that were measured in seconds."""
    return Figure(name, tuple(second / SECONDS[unit] for second in seconds), unit, bound)


def ratio(
    name: str, seconds: tuple[float, ...], reference: tuple[float, ...], bound: Bound | None = None
) -> Figure:
    """How many times the reference something costs, round by round: a busy moment hits both."""
    quotients = tuple(part / whole for part, whole in zip(seconds, reference, strict=True))
    return Figure(name, quotients, "x", bound)


# --- how it is shown --------------------------------------------------------------------------------------


def heading(plan: Plan) -> str:
    """What was measured, how, and on what."""
    text = (
        f"CPU time, medians of {plan.rounds} rounds ({plan.slow_rounds} where they are slow), with the least"
        " and the most of them. Every case has its turn in each round; a ratio is taken round by round."
    )
    if plan == QUICK:
        text = "One small round, which shows only that everything runs: the figures mean nothing."
    machine = ", ".join(f"{name} {value}" for name, value in environment().items() if name != "gc")
    return "\n".join(["finalturn bench", *_wrapped(text), *_wrapped(machine), *_wrapped(GC_SETTINGS)])


def environment() -> dict[str, Any]:
    """What the figures depend on, beside the code."""
    return {
        "Python": platform.python_version(),
        "on": platform.machine(),
        "CPUs": os.cpu_count(),
        "load": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
        **{package: version(package) for package in ("httpx2", "pydantic", "anyio")},
        "gc": [gc.isenabled(), *gc.get_threshold()],
    }


def shown(section: Section) -> str:
    """A section as lines of text."""
    columns = f"{'':50}{'median':>11}{'min - max':>21}   bound"
    return "\n".join(["", section.title, *_wrapped(section.note), columns, *map(_row, section.figures)])


def summary(sections: Sequence[Section]) -> str:
    """The table of bounds: each piece of work, and whether it is within its bound."""
    rows = [
        f"  {figure.bound.work:72}{_number(figure.median) + ' ' + figure.unit:>11}   {_bound(figure)}"
        for section in sections
        for figure in section.figures
        if figure.bound is not None and figure.bound.work
    ]
    return "\n".join(["", "The bounds", f"{'':74}{'median':>11}   bound", *rows])


def as_json(plan: Plan, sections: Sequence[Section], peers: Sequence[str]) -> dict[str, Any]:
    """Everything, as plain JSON types; the peers are the names of the other libraries that were measured."""
    return {
        "plan": asdict(plan),
        "environment": environment(),
        "peers": list(peers),
        "sections": {
            section.slug: {
                "title": section.title,
                "note": section.note,
                "figures": [figure.as_json() for figure in section.figures],
            }
            for section in sections
        },
    }


def _row(figure: Figure) -> str:
    median = f"{_number(figure.median)} {figure.unit}"
    spread = f"{_number(min(figure.values))} - {_number(max(figure.values))}"
    return f"  {figure.name:48}{median:>11}{spread:>21}   {_bound(figure)}".rstrip()


def _bound(figure: Figure) -> str:
    verdict = "OVER" if figure.over else "kept"
    return "" if figure.bound is None else f"{figure.bound} {figure.unit}: {verdict}"


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}" if value >= 100 else f"{value:.2f}"


def _wrapped(text: str) -> Iterator[str]:
    return iter(textwrap.wrap(text, 100, initial_indent="  ", subsequent_indent="  "))
