"""Turns that count in another turn, and what bounds any turn, whatever its model does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import (
    Agent,
    AgentResult,
    Limits,
    Message,
    ProviderError,
    Role,
    RunContext,
    StructuredOutputConfig,
    Tool,
    Usage,
    tool,
)
from finalturn._adapters import in_time
from finalturn._agent.driver import Driver
from finalturn._agent.meter import Meter, meter_of
from finalturn.providers import Scripted
from tests.agent._limits import ACT, BY_TIME, CLOCK, LONG, SHORT, WAIT, act, ended, wait
from tests.agent._parts import ANSWER, FINAL, Ticket, turn_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of limits is that of the clock. What is waited for is stopped all the same."""
    monkeypatch.setattr(in_time, "monotonic", CLOCK)


@pytest.mark.usefixtures("standing_clock")
class TestTurnsOfTools:
    """Turns that count in another turn."""

    async def run(self, outer: Meter, *calls: Any, **parts: Any) -> AgentResult[Any]:
        driver = Driver(replace(turn_of(Scripted(*calls), tools=[act, wait], **parts), outer=outer))
        while not isinstance(item := await driver.next(), AgentResult):
            pass
        return item

    async def test_all_that_they_use_counts_in_the_outer_turn(self) -> None:
        outer = Meter(Limits(requests=3))
        await self.run(outer, [ACT, Usage(5)], ["Done.", Usage(7)])
        assert outer.reached is None
        result = await self.run(outer, [ACT], "never")
        assert ended(result) == ("limit_reached", "requests", "", 1)

    async def test_one_that_may_make_no_call_begins_none(self) -> None:
        outer = Meter(Limits(requests=1))
        outer.count_request()
        assert ended(await self.run(outer, "never")) == ("limit_reached", "requests", "", 0)

    async def test_its_own_limits_may_be_stricter(self) -> None:
        outer = Meter(Limits(requests=9))
        result = await self.run(outer, [ACT], "never", limits=Limits(requests=1))
        assert ended(result) == ("limit_reached", "requests", "", 1)
        assert outer.reached is None

    async def test_the_time_of_the_outer_turn_is_theirs(self) -> None:
        assert ended(await self.run(Meter(SHORT), [WAIT])) == (*BY_TIME, "", 1)

    async def test_tokens_of_a_call_that_fails_count(self) -> None:
        outer = Meter(Limits(input_tokens=5))
        error = ProviderError("down")
        error.usage = Usage(input_tokens=5)
        with pytest.raises(ProviderError):
            await self.run(outer, error)
        assert outer.reached == "input_tokens"

    async def test_of_two_at_the_same_time_one_gets_the_last_request(self) -> None:
        outer = Meter(Limits(requests=3))
        found: list[AgentResult[Any]] = []

        async def run() -> None:
            found.append(await self.run(outer, [ACT], "Done."))

        async with anyio.create_task_group() as group:
            group.start_soon(run)
            group.start_soon(run)
        assert sorted(result.model_calls for result in found) == [1, 2]
        assert sorted(result.stop_reason for result in found) == ["completed", "limit_reached"]

    async def test_a_tool_finds_what_counts_its_turn(self) -> None:
        found: list[Meter | None] = []

        @tool
        def look(ctx: RunContext[None]) -> None:
            """Looks."""
            found.append(meter_of(ctx))

        for limits in (None, LONG):
            model = Scripted([Scripted.call("look", {})], "Done.")
            await Agent(model, tools=[look], limits=limits).arun("hi")
        unlimited, limited = found
        assert unlimited is None
        assert limited is not None and limited.deadline is not None


CALLS = st.lists(
    st.one_of(
        st.sampled_from([ANSWER, "Prose.", "", '{"topic": 1}']),
        st.lists(st.sampled_from([ACT, Scripted.call("gone", {})]), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=6,
)
ANY_LIMITS = st.builds(
    Limits,
    requests=st.none() | st.integers(1, 4),
    tool_calls=st.none() | st.integers(1, 4),
    input_tokens=st.none() | st.integers(1, 12),
    total_tokens=st.none() | st.integers(1, 30),
)


def always(messages: Sequence[Message], text: str) -> bool:
    """A predicate that wants every object."""
    return True


CONFIGS = st.sampled_from(
    [
        StructuredOutputConfig(),
        FINAL,
        replace(FINAL, hold_json=True),
        replace(FINAL, reuse_loop_answer=False),
        replace(FINAL, should_finalize=always),
    ]
)


@given(calls=CALLS, limits=ANY_LIMITS, config=CONFIGS, structured=st.booleans())
def test_whatever_a_model_does_a_limit_ends_the_turn_cleanly(
    calls: list[Any], limits: Limits, config: StructuredOutputConfig, structured: bool
) -> None:
    ran: list[int] = []

    @tool(name="act")
    def counted(number: int = 0) -> str:
        """Acts."""
        ran.append(number)
        return str(number)

    tools: list[Tool[..., Any]] = [counted]
    spent = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
    script: list[list[Any]] = [
        [spent, *(call if isinstance(call, list) else [call] if call else [])] for call in calls
    ]
    model = Scripted(*script, then=[spent, "Done."])
    agent: Agent[Any] = Agent(
        model,
        tools=tools,
        response_format=Ticket if structured else None,
        structured_output=config if structured else StructuredOutputConfig(),
        limits=limits,
    )
    try:
        result = agent.run("hi")
    except ProviderError:
        return  # two empty answers
    assert (result.stop_reason == "limit_reached") == (result.limit is not None)
    assert len(model.requests) == result.model_calls <= (limits.requests or 99)
    assert result.usage.input_tokens == 3 * result.model_calls
    assert len(ran) <= (limits.tool_calls or 99)
    for name in ("input_tokens", "total_tokens"):
        most, used = getattr(limits, name), getattr(result.usage, name)
        of_a_call = getattr(spent, name)
        assert most is None or used < most + of_a_call
    if result.limit is not None:
        assert getattr(limits, result.limit) is not None
        assert result.parsed is None
    asked = [call for message in result.messages for call in message.tool_calls]
    assert asked == list(result.tool_calls)
    due: list[str | None] = []
    for message in result.messages:
        if message.role is Role.TOOL:
            assert message.tool_call_id == due.pop(0)
        else:
            assert due == []
            due = [call.id for call in message.tool_calls]
    assert due == []
