"""Where rules and clauses stand, and what functions must keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from finalturn._core.turn import TABLE
from finalturn._core.turn import messages as _messages
from finalturn._core.turn import shows as _shows
from finalturn.contract import CLAUSES
from tests.mutants._tables import START
from tools.mutants._code import ROOT
from tools.mutants._places import clauses_of_functions, places_of_clauses, places_of_rules


def line(file: str, number: int) -> str:
    return (ROOT / file).read_text(encoding="utf-8").splitlines()[number - 1].strip()


def test_every_rule_has_a_place() -> None:
    for name, (file, number) in places_of_rules(TABLE).items():
        assert line(file, number) in (
            f'name="{name}",',
            'name=f"{phase.value}-failed",',
            'name=f"{phase.value}-cancelled",',
        )


def test_a_rule_that_nobody_wrote_out_stands_at_the_table() -> None:
    places = places_of_rules((replace(START, name="nowhere"),))
    assert places == {"nowhere": ("src/finalturn/_core/turn/table.py", 1)}


def test_a_rule_of_another_tree(tmp_path: Path) -> None:
    folder = tmp_path / "src/finalturn/_core/turn"
    folder.mkdir(parents=True)
    (folder / "_rules_x.py").write_text('RULES = (\n    Rule(\n        name="start",\n    ),\n)\n')
    assert places_of_rules((START,), tmp_path) == {"start": ("src/finalturn/_core/turn/_rules_x.py", 3)}


def test_every_clause_has_a_place() -> None:
    places = places_of_clauses()
    assert places.keys() == {clause.id for clause in CLAUSES}
    for name, (file, number) in places.items():
        assert line(file, number) == f'id="{name}",'


def test_functions_keep_what_their_rules_uphold() -> None:
    found = clauses_of_functions(TABLE)
    assert "default-mode-streams" in found[_shows.content]
    assert "synthesis-start-once" not in found[_shows.content]
    assert "tool-name-always" in found[_messages.tool_message]
