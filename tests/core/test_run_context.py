"""The context of a run, as a value. Who gets it is tested where turns run."""

from __future__ import annotations

from dataclasses import replace

from finalturn import RunContext
from finalturn._core.run_context import account_in, meter_in, turn_in


def test_what_counts_the_turn_is_no_part_of_the_value() -> None:
    meter = object()
    context = RunContext("deps", "run", _meter=meter)
    assert meter_in(context) is meter
    assert meter_in(RunContext("deps", "run")) is None
    assert meter_in(replace(context, attempt=2)) is meter
    assert context == RunContext("deps", "run")
    assert "meter" not in repr(context)


def test_turns_that_its_tools_run_find_the_turn_and_who_pays() -> None:
    turn, account = object(), object()
    context = RunContext("deps", "run", _turn=turn, _account=account)
    assert turn_in(context) is turn and account_in(context) is account
    assert turn_in(RunContext("deps", "run")) is None and account_in(RunContext("deps", "run")) is None
    assert context == RunContext("deps", "run")


def test_it_does_not_show_what_may_be_secret() -> None:
    assert "deps" not in repr(RunContext("secret", "run"))
    assert "secret" not in repr(RunContext("secret", "run"))
