"""The walks that are drawn above the table are those that its rules make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from finalturn._core.turn import Phase
from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.kinds.code_theory import edges_of
from tools.contractdocs.kinds.code_trees import TABLE, place_of_rule

DO = "correct the walks in the docstring of the table"


def test_the_repository_as_it_is() -> None:
    assert planted("FT29", PROJECT) == []


def test_a_walk_that_no_rule_makes() -> None:
    old = "CALLING -> DECIDING -> SAVING "
    project = PROJECT.edited(TABLE, old, "CALLING -> DECIDING -> RUNNING -> SAVING ")
    line = project.line_of(TABLE, "DECIDING -> RUNNING")
    assert planted("FT29", project)[0] == (
        f"{TABLE}:{line} FT29 stale-theory: DECIDING -> RUNNING is drawn, and no rule goes that way -> {DO}"
    )


def test_a_phase_that_is_none() -> None:
    project = PROJECT.edited(TABLE, "SAVING -> DONE", "SAVING -> STORED -> DONE")
    line = project.line_of(TABLE, "SAVING -> STORED")
    assert planted("FT29", project)[0] == (
        f"{TABLE}:{line} FT29 stale-theory: SAVING -> STORED is drawn, and STORED is no phase -> {DO}"
    )


def test_a_walk_that_is_not_drawn() -> None:
    rule = next(one for one in PROJECT.table if one.name == "skip")
    project = replace(PROJECT, table=(*PROJECT.table, replace(rule, name="again", to=Phase.CALLING)))
    file, line = place_of_rule(project, "again")
    assert planted("FT29", project) == [
        f'{file}:{line} FT29 stale-theory: DECIDING -> CALLING is not drawn in {TABLE}, and rule "again" goes'
        f" that way -> {DO}"
    ]


@pytest.mark.parametrize(
    ("line", "edges"),
    [
        ("READY -> CALLING -> DONE    words", [("READY", "CALLING"), ("CALLING", "DONE")]),
        (
            "CALLING [-> DECIDING] -> SAVING",
            [("CALLING", "DECIDING"), ("CALLING", "SAVING"), ("DECIDING", "SAVING")],
        ),
        ("CALLING -> RUNNING -> CALLING ...", [("CALLING", "RUNNING"), ("RUNNING", "CALLING")]),
        ("the phase READY is first", []),
        ("READY -> CALLING   then JSON is READY", [("READY", "CALLING")]),
    ],
)
def test_edges(line: str, edges: list[tuple[str, str]]) -> None:
    assert list(edges_of(line)) == edges
