"""Outcomes of tool calls."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from finalturn._core.protocols import DenialKind
from finalturn._core.tool_outcome import ToolFailure, ToolOutcome


def test_an_outcome_is_a_success_unless_it_says_why_not() -> None:
    outcome = ToolOutcome(2, "")
    assert (outcome.index, outcome.text, outcome.failure, outcome.terminal) == (2, "", None, False)
    with pytest.raises(FrozenInstanceError):
        outcome.failure = "error"  # type: ignore[misc]


def test_every_kind_of_denial_is_a_kind_of_failure() -> None:
    assert set(get_args(DenialKind)) < set(get_args(ToolFailure))
