from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from finalturn._core.output import Answer, Rejection


def test_a_verdict_cannot_be_changed() -> None:
    answer, rejection = Answer("1", 1), Rejection("why", "why in full")
    with pytest.raises(FrozenInstanceError):
        answer.json = "2"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError):
        rejection.reason = ""  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]


def test_verdicts_compare_by_value() -> None:
    assert Answer("1", 1) == Answer("1", 1) != Answer("1", 2)
    assert Rejection("a", "b") == Rejection("a", "b") != Rejection("a", "c")
