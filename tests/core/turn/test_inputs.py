"""What can happen to a turn."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from finalturn._core.model import ModelResponse
from finalturn._core.turn import TABLE, TABLE_INPUTS, Finished, Input, Judged, Verdict


def test_the_table_rules_on_all_but_the_raw_response() -> None:
    assert set(TABLE_INPUTS) == set(get_args(Input)) - {Finished}
    assert {rule.on for rule in TABLE} <= set(TABLE_INPUTS)


def test_a_judgement_is_frozen_and_shows_nothing_of_its_own() -> None:
    judged = Judged(Verdict.PLAIN, ModelResponse("hi"))
    assert (judged.answer, judged.rejection, judged.settled, judged.shown) == (None, None, "", "")
    with pytest.raises(FrozenInstanceError):
        judged.verdict = Verdict.VALID  # type: ignore[misc]
