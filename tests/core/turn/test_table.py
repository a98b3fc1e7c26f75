"""The table as a whole: every pair has a disposition, every rule can match, every name is unique."""

from __future__ import annotations

import itertools
from typing import get_args

from finalturn._core.clauses import ClauseId
from finalturn._core.turn import IGNORED, TABLE, TABLE_INPUTS, Phase

RULED = {(rule.phase, rule.on) for rule in TABLE}


def test_every_pair_is_ruled_ignored_or_illegal() -> None:
    pairs = set(itertools.product(Phase, TABLE_INPUTS))
    assert pairs >= RULED
    assert pairs >= IGNORED.keys()
    assert not RULED & IGNORED.keys()
    illegal = pairs - RULED - IGNORED.keys()
    assert len(pairs) == 90
    assert (len(RULED), len(IGNORED), len(illegal)) == (22, 3, 65)


def test_every_ignored_pair_has_a_reason() -> None:
    assert all(reason.strip() for reason in IGNORED.values())


def test_names_are_unique() -> None:
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


def test_terminal_phases_have_no_rules() -> None:
    terminal = {Phase.DONE, Phase.FAILED, Phase.CANCELLED}
    assert not terminal & {rule.phase for rule in TABLE}


def test_synthesis_text_has_no_emission() -> None:
    silent = [rule for rule in TABLE if rule.phase is Phase.SYNTHESIZING]
    assert silent
    assert all(not rule.shows for rule in silent)
