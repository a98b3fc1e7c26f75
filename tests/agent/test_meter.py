"""What a turn has used, and what that forbids, in it and in the turns that its tools run."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import Limits, RunContext, Usage
from finalturn._adapters import in_time
from finalturn._agent.meter import Meter, meter_of


class Clock:
    """Tells the time that it is told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(in_time, "monotonic", clock)
    return clock


def test_what_is_not_limited_is_never_reached() -> None:
    meter = Meter(Limits())
    meter.count_request()
    meter.count_tool_calls(1000)
    meter.count_usage(Usage(1000, 0, 1000, 0, 2000))
    assert meter.reached is None
    assert not meter.forbids_tool_calls(1000)
    assert meter.deadline is None


def test_as_many_requests_as_are_allowed_may_be_made() -> None:
    meter = Meter(Limits(requests=2))
    meter.count_request()
    assert meter.reached is None
    meter.count_request()
    assert meter.reached == "requests"


@pytest.mark.parametrize(
    ("name", "usage"),
    [
        ("input_tokens", Usage(input_tokens=5)),
        ("output_tokens", Usage(output_tokens=5)),
        ("total_tokens", Usage(total_tokens=5)),
    ],
)
def test_tokens_that_are_all_used_forbid_a_further_call(name: Any, usage: Usage) -> None:
    meter = Meter(Limits(**{name: 10}))
    meter.count_usage(usage)
    assert meter.reached is None
    meter.count_usage(usage)
    assert meter.reached == name


def test_a_batch_may_use_up_the_tool_calls_and_not_pass_them() -> None:
    meter = Meter(Limits(tool_calls=3))
    meter.count_tool_calls(1)
    assert not meter.forbids_tool_calls(2)
    assert meter.forbids_tool_calls(3)
    meter.count_tool_calls(2)
    assert meter.reached is None


def test_time_is_up_at_the_deadline(clock: Clock) -> None:
    meter = Meter(Limits(seconds=2, requests=1))
    assert meter.deadline == 102.0
    clock.now = 101.9
    assert meter.reached is None
    clock.now = 102.0
    assert meter.reached == "seconds"


class TestTurnsOfTools:
    def test_what_they_use_counts_in_the_outer_turn(self) -> None:
        outer = Meter(Limits(requests=2, tool_calls=1, input_tokens=5))
        inner = Meter(Limits(), outer)
        inner.count_request()
        inner.count_tool_calls(1)
        assert outer.reached is None and outer.forbids_tool_calls(1)
        inner.count_usage(Usage(input_tokens=5))
        assert outer.reached == "input_tokens"

    def test_what_the_outer_turn_uses_does_not_count_in_them(self) -> None:
        outer = Meter(Limits())
        inner = Meter(Limits(requests=1, tool_calls=1), outer)
        outer.count_request()
        outer.count_tool_calls(1)
        assert inner.reached is None and not inner.forbids_tool_calls(1)

    def test_the_stricter_limit_forbids(self) -> None:
        outer = Meter(Limits(requests=1, tool_calls=1))
        inner = Meter(Limits(requests=9, tool_calls=9), outer)
        inner.count_request()
        assert inner.reached == "requests"
        assert inner.forbids_tool_calls(2) and not inner.forbids_tool_calls(1)

    def test_the_earlier_deadline_holds(self, clock: Clock) -> None:
        outer = Meter(Limits(seconds=5))
        clock.now = 103.0
        assert Meter(Limits(seconds=9), outer).deadline == 105.0
        assert Meter(Limits(seconds=1), outer).deadline == 104.0
        assert Meter(Limits(), outer).deadline == 105.0


def test_a_context_leads_to_the_meter_of_its_turn() -> None:
    meter = Meter(Limits())
    context = RunContext(None, "run", _meter=meter)
    assert meter_of(context) is meter
    assert meter_of(RunContext(None, "run")) is None
    assert context == RunContext(None, "run")
    assert "meter" not in repr(context).lower()
