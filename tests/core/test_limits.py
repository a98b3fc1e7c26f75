"""What a turn may use: which values are allowed, and how a call's limits join its agent's."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, fields
from typing import Any, get_args

import pytest

from finalturn import ConfigurationError, LimitName, Limits
from finalturn._core.limits import given_limits, merged_limits

NAMES = get_args(LimitName)


def test_there_is_a_name_for_each_limit() -> None:
    assert tuple(field.name for field in fields(Limits)) == NAMES


def test_nothing_is_limited_by_default() -> None:
    assert given_limits(Limits()) == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0, -1, True, False, math.nan, math.inf, "3"])
def test_what_is_no_number_above_zero_is_refused_by_its_name(name: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"the limit {name} must be a .*; leave it out for no limit"):
        Limits(**{name: value})


@pytest.mark.parametrize("name", [name for name in NAMES if name != "seconds"])
def test_half_a_call_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"the limit {name} must be a whole number above 0"):
        Limits(**{name: 1.5})  # type: ignore[arg-type]


def test_seconds_may_be_a_part_of_one() -> None:
    assert Limits(seconds=0.5).seconds == 0.5


def test_who_wants_no_tools_is_told_how() -> None:
    with pytest.raises(ConfigurationError, match=r"give tools=\[\]"):
        Limits(tool_calls=0)


def test_a_name_that_is_not_one_is_answered_with_the_one_that_is_meant() -> None:
    with pytest.raises(TypeError, match="requests"):
        Limits(request=3)  # type: ignore[call-arg]


def test_they_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Limits().requests = 3  # type: ignore[misc]


def test_what_the_second_says_wins_field_by_field() -> None:
    merged = merged_limits(Limits(requests=3, seconds=9), Limits(requests=5, tool_calls=2))
    assert merged == Limits(requests=5, tool_calls=2, seconds=9)
