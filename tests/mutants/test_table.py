"""Mutants of a table."""

from __future__ import annotations

import pytest

from finalturn._core.turn import TABLE, Phase
from finalturn.contract import CLAUSES
from tests.mutants._tables import CALLS, REST, START
from tests.mutants._tables import TABLE as TINY
from tools.mutants._code import ROOT, Mutant
from tools.mutants._table import IDEMPOTENT, changes, mutants_of_table, place_of


def mutants() -> dict[str, Mutant]:
    return {mutant.name: mutant for mutant in mutants_of_table(TINY)}


def names(rule_name: str) -> set[str]:
    return {name.removeprefix(f"{rule_name}: ") for name in mutants() if name.startswith(f"{rule_name}: ")}


def test_every_mutant_of_a_rule_without_guards_and_emissions() -> None:
    assert names("start") == {
        "deleted",
        *(f"goes to {phase.value}" for phase in Phase if phase is not Phase.CALLING),
        "update next_call dropped",
        "update next_call doubled",
        "action call_model dropped",
        "action call_model doubled",
        *(
            f"action call_model is {name}"
            for name in (
                "synthesize",
                "run_tools",
                "ask_finalize",
                "save",
                "finish",
                "raise_empty",
                "raise_error",
            )
        ),
    }


def test_every_mutant_of_a_rule_with_guards_and_emissions() -> None:
    found = names("calls")
    assert {
        "deleted",
        "guard asks_for_tools dropped",
        "guard asks_for_tools negated",
        "goes to calling",
        "emission settled_text dropped",
        "emission settled_text doubled",
        "emission settled_text is tool_results",
        "emission tool_calls is synthesis_event",
        "emission tool_calls before settled_text",
        "action run_tools is ask_finalize",
        "leaks the_whole_response",
        "leaks a_synthesis_event",
        "leaks a_reuse_event",
        "after rest",
    } <= found


def test_a_rule_that_does_nothing_may_do_something() -> None:
    assert {"action save added", "action call_model added"} <= names("rest")


def test_a_mutant_says_what_it_breaks_and_where() -> None:
    mutant = mutants()["calls: deleted"]
    assert (mutant.file, mutant.rule) == ("src/finalturn/_core/turn/table.py", "calls")
    assert mutant.clauses == ("tool-calls-always-stream",)
    assert mutant.pure


def test_a_mutant_concerns_runs_in_which_its_rule_matched() -> None:
    mutant = mutants()["calls: emission tool_calls dropped"]
    assert mutant.concerns(frozenset({"rule start", "rule calls"}))
    assert not mutant.concerns(frozenset({"rule start", "rule rest"}))


@pytest.mark.parametrize("what", ["guard asks_for_tools negated", "after rest"])
def test_a_mutant_that_may_match_elsewhere_concerns_the_rules_beside_it(what: str) -> None:
    mutant = mutants()[f"calls: {what}"]
    assert mutant.concerns(frozenset({"rule rest"}))
    assert not mutant.concerns(frozenset({"rule start", "rule tools"}))


def test_rules_that_cannot_both_match_are_not_swapped() -> None:
    swapped = {mutant.name for mutant in mutants_of_table(TABLE) if ": after " in mutant.name}
    assert "loop-text-held: after loop-text" in swapped
    assert "tools-requested: after refused" not in swapped
    assert "loop-text-suppressed: after loop-text-held" not in swapped


def test_names_are_unique() -> None:
    found = [mutant.name for mutant in mutants_of_table(TABLE)]
    assert len(found) == len(set(found))
    assert len(found) > 1000


def test_ends_are_exchanged_and_moved_but_not_doubled() -> None:
    rule = next(rule for rule in TABLE if rule.name == "default-valid")
    found = {what for what, _ in changes(rule)}
    assert "update end_answered is end_plain" in found
    assert "update end_answered before close_call" in found
    assert "update end_answered doubled" not in found
    assert "update close_call doubled" in found


def test_idempotent_updates_are_updates() -> None:
    updates = {update.__name__ for rule in TABLE for update in rule.updates}
    assert updates >= IDEMPOTENT


def test_every_change_is_another_rule() -> None:
    for rule in (START, CALLS, REST):
        assert all(changed != rule for _, changed in changes(rule))


def test_rules_and_clauses_have_a_place() -> None:
    rule, clause = place_of("default-valid"), place_of("held-json")
    for (file, line), name in ((rule, "default-valid"), (clause, "held-json")):
        assert f'"{name}"' in (ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1]
    assert len({place_of(clause.id) for clause in CLAUSES}) == len(CLAUSES)
    assert place_of("nowhere") == ("src/finalturn/_core/turn/table.py", 1)
