"""What a run of the benchmark came to, from the file that it is kept in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tools.contractdocs.project import Project
from tools.contractdocs.render._page import items, table

FILE = "tools/bench/run.json"


def bounds_table(project: Project) -> str:
    """Each bounded piece of work: the bound, what was measured, and the same of other libraries."""
    run = _run(project)
    peers: list[str] = run["peers"]
    head = ("work", "bound", "finalturn", *peers)
    return table(head, (_row(section, figure, peers) for section, figure in _bounded(run)))


def layers_table(project: Project) -> str:
    """What each layer takes of a text delta."""
    figures = {figure["name"]: figure for figure in _run(project)["sections"]["layers"]["figures"]}
    rows = (
        (name, _number(figure), _number(figures[f"{name}, share"]))
        for name, figure in figures.items()
        if f"{name}, share" in figures
    )
    return table(("layer", "a delta", "share"), rows)


def machine_of_the_run(project: Project) -> str:
    """What the figures depend on, beside the code."""
    shown = {name: value for name, value in _run(project)["environment"].items() if name != "gc"}
    return items(f"{name}: {value}" for name, value in shown.items())


def _run(project: Project) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(project.files[FILE])
    return found


def _bounded(run: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for section in run["sections"].values():
        for figure in section["figures"]:
            if figure["work"]:
                yield section, figure


def _row(section: dict[str, Any], figure: dict[str, Any], peers: list[str]) -> tuple[str, ...]:
    ratios = {one["name"]: one for one in section["figures"] if one["unit"] == figure["unit"] == "x"}
    found = (ratios.get(f"{peer} / raw") or ratios.get(f"raw / {peer}") for peer in peers)
    others = ("" if one is None else _number(one) for one in found)
    return figure["work"], f"{figure['bound']} {figure['unit']}", _number(figure), *others


def _number(figure: dict[str, Any]) -> str:
    value = figure["median"]
    shown = f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return f"{shown} {figure['unit']}"
