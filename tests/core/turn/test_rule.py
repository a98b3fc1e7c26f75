"""What a rule is."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from finalturn._core.turn import Phase, Rule, Saved


def test_a_rule_without_parts_is_silent() -> None:
    rule = Rule("r", Phase.SAVING, Saved, Phase.DONE)
    assert (rule.when, rule.updates, rule.shows, rule.does, rule.upholds) == ((), (), (), (), ())


def test_it_is_a_value() -> None:
    rule = Rule("r", Phase.SAVING, Saved, Phase.DONE)
    assert rule == Rule("r", Phase.SAVING, Saved, Phase.DONE)
    assert hash(rule) == hash(Rule("r", Phase.SAVING, Saved, Phase.DONE))
    with pytest.raises(FrozenInstanceError):
        rule.to = Phase.FAILED  # type: ignore[misc]
