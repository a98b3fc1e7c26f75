"""The figures as a table, and as JSON."""

from __future__ import annotations

import gc
import os
import platform
import textwrap
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from tools.bench._figure import Figure, Section
from tools.bench._rounds import GC_SETTINGS, QUICK, Plan

WIDTH = 100
_NAME = 50
_WORK = 72


def heading(plan: Plan) -> str:
    """What was measured, how, and on what."""
    text = (
        f"CPU time, medians of {plan.rounds} rounds ({plan.slow_rounds} where they are slow), with the least"
        " and the most of them. Every case has its turn in each round; a ratio is taken round by round."
    )
    if plan == QUICK:
        text = "One small round, which shows only that everything runs: the figures mean nothing."
    machine = ", ".join(f"{name} {value}" for name, value in environment().items() if name != "gc")
    return "\n".join(
        ["finalturn bench", *_wrapped(text), *_wrapped(machine), *_wrapped(f"GC {GC_SETTINGS}.")]
    )


def environment() -> dict[str, Any]:
    """What the figures depend on, beside the code."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "Python": platform.python_version(),
        "on": platform.machine(),
        "CPUs": os.cpu_count(),
        "load": load,
        "httpx2": version("httpx2"),
        "pydantic": version("pydantic"),
        "anyio": version("anyio"),
        "gc": [gc.isenabled(), *gc.get_threshold()],
    }


def table(section: Section) -> str:
    """A section as lines of text."""
    columns = f"{'':{_NAME}}{'median':>11}{'min – max':>21}   bound"
    rows = [_row(figure) for figure in section.figures]
    return "\n".join(["", section.title, *_wrapped(section.note), columns, *rows])


def summary(sections: Sequence[Section]) -> str:
    """The table of bounds: each piece of work, and whether it is within its bound."""
    rows = [
        f"  {figure.bound.work:{_WORK}}{_number(figure.median) + ' ' + figure.unit:>11}   {_bound(figure)}"
        for section in sections
        for figure in section.figures
        if figure.bound is not None and figure.bound.work
    ]
    return "\n".join(["", "The bounds", f"{'':{_WORK + 2}}{'median':>11}   bound", *rows])


def as_json(plan: Plan, sections: Sequence[Section], peers: Sequence[str] = ()) -> dict[str, Any]:
    """Everything, as plain JSON types.

    Args:
        peers: the names of the other libraries that were measured.
    """
    found = {
        section.slug: {
            "title": section.title,
            "note": section.note,
            "figures": [figure.as_json() for figure in section.figures],
        }
        for section in sections
    }
    return {"plan": vars(plan), "environment": environment(), "peers": list(peers), "sections": found}


def _row(figure: Figure) -> str:
    median = f"{_number(figure.median)} {figure.unit}"
    spread = f"{_number(min(figure.values))} – {_number(max(figure.values))}"
    return f"  {figure.name:{_NAME - 2}}{median:>11}{spread:>21}   {_bound(figure)}".rstrip()


def _bound(figure: Figure) -> str:
    return (
        "" if figure.bound is None else f"{figure.bound} {figure.unit}: {'OVER' if figure.over else 'kept'}"
    )


def _number(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}" if value >= 100 else f"{value:.2f}"


def _wrapped(text: str) -> Iterator[str]:
    return iter(textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  "))
