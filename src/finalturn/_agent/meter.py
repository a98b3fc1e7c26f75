"""Counts what a turn uses, and says which limit forbids it to use more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from finalturn._adapters.in_time import deadline_in, seconds_left
from finalturn._core.limits import LimitName, Limits
from finalturn._core.result import Usage
from finalturn._core.run_context import RunContext, meter_in
from finalturn._core.turn import (
    CallModel,
    Decided,
    Finished,
    Input,
    LimitReached,
    RunTools,
    Started,
    Step,
    ToolsFinished,
)

__all__ = ["UNREPORTED", "Meter", "meter_for", "meter_of"]

UNREPORTED = Usage(unreported_calls=1)


class Meter:
    """What one turn, and those that its tools run, have used.

    Args:
        limits: of the turn.
        outer: the meter of the turn whose tool runs this one; what is counted here counts there too, and
            what is forbidden there is forbidden here.

    Attributes:
        deadline: when the turn is to end, as ``time.monotonic`` tells the time; ``None`` for never.
    """

    def __init__(self, limits: Limits, outer: Meter | None = None) -> None:
        deadlines = [] if limits.seconds is None else [deadline_in(limits.seconds)]
        if outer is not None and outer.deadline is not None:
            deadlines.append(outer.deadline)
        self.deadline: float | None = min(deadlines, default=None)
        self._limits = limits
        self._outer = outer
        self._requests = 0
        self._tool_calls = 0
        self._usage = Usage()

    def step(self, step: Callable[[Input], Step], item: Input) -> Step:
        """Feed the machine, tell it what is forbidden now, and count what it asks for.

        A call is counted here and not when it begins: of two turns that count in one, only one gets the last.

        Args:
            step: takes an input.
            item: the input, without what is forbidden.
        """
        match item:
            case Finished(response):
                self.count_usage(response.usage or UNREPORTED)
                too_many_tools = self.forbids_tool_calls(len(response.tool_calls))
                item = replace(item, limit=self.reached, too_many_tools=too_many_tools)
            case Started(limit=None) | ToolsFinished() | Decided():
                item = replace(item, limit=self.reached)
            case LimitReached(usage=usage):
                self.count_usage(usage)
            case _:
                pass
        taken = step(item)
        for action in taken[1]:
            if isinstance(action, CallModel):
                self.count_request()
            elif isinstance(action, RunTools):
                self.count_tool_calls(len(action.calls))
        return taken

    def count_request(self) -> None:
        """A model call is to begin."""
        self._requests += 1
        if self._outer is not None:
            self._outer.count_request()

    def count_tool_calls(self, calls: int) -> None:
        """So many tool calls are to run."""
        self._tool_calls += calls
        if self._outer is not None:
            self._outer.count_tool_calls(calls)

    def count_usage(self, usage: Usage) -> None:
        """A model call has used this."""
        self._usage += usage
        if self._outer is not None:
            self._outer.count_usage(usage)

    @property
    def reached(self) -> LimitName | None:
        """What forbids a further model call now."""
        if self.deadline is not None and not seconds_left(self.deadline):
            return "seconds"
        return self._spent()

    def forbids_tool_calls(self, calls: int) -> bool:
        """Whether so many tool calls are more than may still run."""
        most = self._limits.tool_calls
        if most is not None and self._tool_calls + calls > most:
            return True
        return self._outer is not None and self._outer.forbids_tool_calls(calls)

    def _spent(self) -> LimitName | None:
        limits, usage = self._limits, self._usage
        if limits.requests is not None and self._requests >= limits.requests:
            return "requests"
        if limits.input_tokens is not None and usage.input_tokens >= limits.input_tokens:
            return "input_tokens"
        if limits.output_tokens is not None and usage.output_tokens >= limits.output_tokens:
            return "output_tokens"
        if limits.total_tokens is not None and usage.total_tokens >= limits.total_tokens:
            return "total_tokens"
        return None if self._outer is None else self._outer._spent()


def meter_for(limits: Limits | None, outer: Meter | None) -> Meter | None:
    """What counts a turn that begins now; ``None`` where nothing limits it."""
    return None if limits is None and outer is None else Meter(limits or Limits(), outer)


def meter_of(context: RunContext[Any]) -> Meter | None:
    """The meter of the turn whose context this is; ``None`` where the turn is not limited."""
    meter = meter_in(context)
    return meter if isinstance(meter, Meter) else None
