"""The theory of operation above the table says how a turn walks through its phases."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from finalturn._core.turn import Phase
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import TABLE, place_of_rule, trees

ENDS = (Phase.FAILED.name, Phase.CANCELLED.name)
"""Where a turn may end from anywhere: the theory does not draw these."""

_STEP = re.compile(r"(\[)?\s*(->)?\s*\b([A-Z]{4,})\b\s*(\])?")

Edge = tuple[str, str]


def _stale(project: Project) -> Iterator[Place]:
    lines = list(_theory(project))
    drawn: dict[Edge, int] = {}
    for number, line in lines:
        for edge in edges_of(line):
            drawn.setdefault(edge, number)
    edges = {(rule.phase.name, rule.to.name): rule.name for rule in project.table}
    known = {phase.name for phase in Phase}
    for (start, end), number in drawn.items():
        if (start, end) not in edges:
            unknown = [name for name in (start, end) if name not in known]
            what = f"{unknown[0]} is no phase" if unknown else "no rule goes that way"
            yield at(TABLE, number, edge=f"{start} -> {end}", what=f"is drawn, and {what}")
    for (start, end), rule in edges.items():
        if start != end and end not in ENDS and (start, end) not in drawn:
            what = f'is not drawn in {TABLE}, and rule "{rule}" goes that way'
            yield at(*place_of_rule(project, rule), edge=f"{start} -> {end}", what=what)


def edges_of(line: str) -> Iterator[Edge]:
    """The steps of a drawn walk: ``A [-> B] -> C`` has A to B, B to C and A to C."""
    if "->" not in line:
        return
    starts: list[str] = []
    optional = False
    for bracket, arrow, phase, closing in _STEP.findall(line):
        if not arrow and starts:
            return  # words behind the walk
        optional = optional or bool(bracket)
        yield from ((start, phase) for start in starts)
        starts = [*starts, phase] if optional else [phase]
        optional = optional and not closing


def _theory(project: Project) -> Iterator[tuple[int, str]]:
    """The lines of the docstring, with their numbers in the file."""
    for _, tree in trees(project, TABLE):
        text = ast.get_docstring(tree, clean=False)
        if text is not None:
            yield from enumerate(text.splitlines(), tree.body[0].lineno)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT29",
        name="stale-theory",
        what="{edge} {what}",
        remedy="correct the walks in the docstring of the table",
        why=(
            "Whoever changes the machine reads the theory above its table first. A walk that is missing"
            " there, or that no rule makes any more, leads to the wrong change."
        ),
        find=_stale,
    ),
)
