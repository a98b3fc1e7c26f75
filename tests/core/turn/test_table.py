"""The table as a whole: every pair has a disposition, every rule can match, every name is unique."""

from __future__ import annotations

import itertools
import re
from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from finalturn._core.turn import IGNORED, TABLE, TABLE_INPUTS, Phase, Rule, Saved
from finalturn._core.turn import table as phases
from finalturn._core.turn.shows import partial_object
from finalturn._core.turn.table import UPHOLDS, ClauseId

RULED = {(rule.phase, rule.on) for rule in TABLE}


def test_every_pair_is_ruled_ignored_or_illegal() -> None:
    pairs = set(itertools.product(Phase, TABLE_INPUTS))
    assert pairs >= RULED
    assert pairs >= IGNORED.keys()
    assert not RULED & IGNORED.keys()
    illegal = pairs - RULED - IGNORED.keys()
    assert len(pairs) == 108
    assert (len(RULED), len(IGNORED), len(illegal)) == (26, 3, 79)


def test_every_ignored_pair_has_a_reason() -> None:
    assert all(reason.strip() for reason in IGNORED.values())


def test_names_of_rules_are_unique() -> None:
    names = [rule.name for rule in TABLE]
    assert len(names) == len(set(names))


def test_no_rule_is_shadowed_by_one_with_fewer_guards() -> None:
    for earlier, later in itertools.combinations(TABLE, 2):
        if (earlier.phase, earlier.on) == (later.phase, later.on):
            assert not set(earlier.when) <= set(later.when), f"{later.name} can never match"


def test_the_last_rule_of_each_pair_for_finished_calls_has_no_guard() -> None:
    """A finished response always has a rule: what a model says is never an illegal input."""
    for phase in (Phase.CALLING, Phase.SYNTHESIZING):
        rules = [rule for rule in TABLE if rule.phase is phase and rule.on.__name__ == "Judged"]
        assert rules[-1].when == ()


def test_rules_uphold_clauses_that_exist() -> None:
    known = set(get_args(ClauseId))
    for rule in TABLE:
        assert rule.upholds, f"{rule.name} upholds no clause"
        assert set(rule.upholds) <= known


def test_clauses_are_upheld_by_rules_that_exist() -> None:
    names = [rule.name for rule in TABLE]
    for clause, upholding in UPHOLDS.items():
        assert upholding == tuple(name for name in names if name in upholding), (
            f"{clause}: wrong name or order"
        )


def test_clauses_that_rules_uphold_are_in_the_order_of_their_ids() -> None:
    assert list(UPHOLDS) == [clause for clause in get_args(ClauseId) if clause in UPHOLDS]


def test_terminal_phases_have_no_rules() -> None:
    terminal = {Phase.DONE, Phase.FAILED, Phase.CANCELLED}
    assert not terminal & {rule.phase for rule in TABLE}


def test_synthesis_text_has_no_emission() -> None:
    shown = [(rule.name, show) for rule in TABLE if rule.phase is Phase.SYNTHESIZING for show in rule.shows]
    assert shown == [("synthesis-partial", partial_object)]


def test_each_phase_has_its_name() -> None:
    assert {phase: getattr(phases, phase.name) for phase in Phase} == {phase: phase for phase in Phase}


def test_a_rule_without_parts_is_silent() -> None:
    rule = Rule("r", Phase.SAVING, Saved, Phase.DONE)
    assert (rule.when, rule.updates, rule.shows, rule.does, rule.upholds) == ((), (), (), (), ())


def test_a_rule_is_a_value() -> None:
    rule = Rule("r", Phase.SAVING, Saved, Phase.DONE)
    assert rule == Rule("r", Phase.SAVING, Saved, Phase.DONE)
    assert hash(rule) == hash(Rule("r", Phase.SAVING, Saved, Phase.DONE))
    with pytest.raises(FrozenInstanceError):
        rule.to = Phase.FAILED  # type: ignore[misc]


IDS = get_args(ClauseId)


def test_ids_are_kebab_case_and_stand_once() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", one) for one in IDS)
    assert len(set(IDS)) == len(IDS)


def test_rules_uphold_known_clauses_only() -> None:
    assert {clause for rule in TABLE for clause in rule.upholds} <= set(IDS)
