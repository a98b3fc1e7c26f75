"""Limits of a turn, end to end: whose hold, what is stopped and how, and that nothing hangs."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import (
    Agent,
    AgentResult,
    ConfigurationError,
    Limits,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ProviderError,
    Role,
    RunContext,
    SessionHistory,
    StreamChunk,
    StructuredOutputConfig,
    TextDelta,
    Tool,
    Usage,
    tool,
)
from finalturn._adapters import in_time
from finalturn._agent.driver import Driver
from finalturn._agent.meter import Meter, meter_of
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._parts import ANSWER, FINAL, Ticket, turn_of

pytestmark = pytest.mark.anyio

SHORT = Limits(seconds=0.02)
LONG = Limits(seconds=1000)


class Clock:
    """Tells the time. An hour passes where a test says so, and none on a slow computer."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def an_hour_passes(self) -> None:
        self.now += 3600.0


CLOCK = Clock()


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of limits is that of the clock. What is waited for is stopped all the same."""
    monkeypatch.setattr(in_time, "monotonic", CLOCK)


@tool
async def act(number: int = 0) -> str:
    """Acts."""
    return str(number)


@tool
async def wait() -> None:
    """Waits for ever."""
    try:
        await anyio.sleep_forever()
    finally:
        CLOCK.an_hour_passes()


ACT, WAIT = Scripted.call("act", {"number": 1}), Scripted.call("wait", {})


class Waiting:
    """A model that says something, and then nothing more."""

    def __init__(self) -> None:
        self.closed = 0

    async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
        try:
            yield TextDelta("Hello")
            await anyio.sleep_forever()
        finally:
            self.closed += 1


def ended(result: AgentResult[Any]) -> tuple[str, str | None, str, int]:
    return result.stop_reason, result.limit, result.content, result.model_calls


BY_TIME = "limit_reached", "seconds"


class TestWhoseHold:
    async def test_those_of_the_agent_on_every_way_to_run_a_turn(self) -> None:
        def agent() -> Agent[None]:
            return Agent(Scripted(then=[ACT]), tools=[act], limits=Limits(requests=2))

        expected = ("limit_reached", "requests", "", 2)
        assert ended(await agent().arun("hi")) == expected
        assert ended(await anyio.to_thread.run_sync(agent().run, "hi")) == expected
        async with agent().astream("hi") as stream:
            async for _ in stream:
                pass
        assert ended(stream.result) == expected

        def read() -> AgentResult[None]:
            with agent().stream("hi") as items:
                for _ in items:
                    pass
            return items.result

        assert ended(await anyio.to_thread.run_sync(read)) == expected

    async def test_each_turn_has_all_of_them(self) -> None:
        agent = Agent(Scripted([ACT], "one", [ACT], "two"), tools=[act], limits=Limits(requests=2))
        assert [(await agent.arun("hi")).content for _ in range(2)] == ["one", "two"]

    async def test_what_a_call_says_wins_field_by_field(self) -> None:
        agent = Agent(Scripted(then=[ACT]), tools=[act], limits=Limits(requests=1, tool_calls=3))
        result = await agent.arun("hi", limits=Limits(requests=9))
        assert ended(result) == ("limit_reached", "tool_calls", "", 4)
        assert ended(await agent.arun("hi")) == ("limit_reached", "requests", "", 1)

    async def test_a_call_may_have_limits_alone(self) -> None:
        agent = Agent(Scripted(then=[ACT]), tools=[act])
        result = await agent.arun("hi", limits=Limits(requests=2))
        assert ended(result) == ("limit_reached", "requests", "", 2)

    async def test_an_override_wins_over_both(self) -> None:
        agent = Agent(Scripted(then=[ACT]), tools=[act], limits=Limits(requests=1))
        with agent.override(limits=Limits(requests=3)):
            assert (await agent.arun("hi", limits=Limits(requests=2))).model_calls == 3
        assert (await agent.arun("hi", limits=Limits(requests=2))).model_calls == 2

    @pytest.mark.parametrize("limits", [{"requests": 3}, 3, Limits])
    async def test_what_is_no_limits_is_refused(self, limits: Any) -> None:
        agent = Agent(Scripted("never"))
        problem = "limits must be of type Limits, not "
        with pytest.raises(ConfigurationError, match=problem):
            Agent(Scripted("never"), limits=limits)
        with pytest.raises(ConfigurationError, match=problem):
            await agent.arun("hi", limits=limits)
        with pytest.raises(ConfigurationError, match=problem), agent.override(limits=limits):
            pass


@pytest.mark.usefixtures("standing_clock")
class TestTime:
    async def test_a_model_that_says_no_more_is_stopped(self) -> None:
        provider, sessions = Waiting(), InMemorySessions()
        agent = Agent(provider, sessions=sessions, limits=SHORT)
        result = await agent.arun("hi", session="s")
        assert ended(result) == (*BY_TIME, "Hello", 1)
        assert result.usage == Usage(unreported_calls=1)
        assert provider.closed == 1
        assert sessions.load("s").messages == (Message.user("hi"), Message.assistant("Hello"))

    async def test_for_those_who_read_it_piece_by_piece_too(self) -> None:
        async with Agent(Waiting(), limits=SHORT).astream("hi") as stream:
            items = [item async for item in stream]
        assert items == [StreamChunk("Hello"), stream.result]
        assert stream.usage == stream.result.usage == Usage(unreported_calls=1)

    async def test_tools_that_are_done_keep_their_results(self) -> None:
        agent = Agent(Scripted([ACT, WAIT]), tools=[act, wait], limits=SHORT)
        result = await agent.arun("hi")
        assert ended(result) == (*BY_TIME, "", 1)
        assert [(message.content, message.tool_failure) for message in result.messages[2:]] == [
            ("1", None),
            ("The tool wait was stopped: the turn is out of time.", "timeout"),
        ]

    async def test_a_tool_in_a_thread_is_left_there(self) -> None:
        released = threading.Event()

        @tool
        def block() -> None:
            """Blocks."""
            released.wait()

        agent = Agent(Scripted([Scripted.call("block", {}), WAIT]), tools=[block, wait], limits=SHORT)
        try:
            result = await agent.arun("hi")
        finally:
            released.set()
        assert result.messages[2].content.endswith("It may still be running.")
        assert result.limit == "seconds"

    async def test_a_terminal_tool_that_was_in_time_ends_the_turn_itself(self) -> None:
        @tool(terminal=True)
        async def hand_over() -> str:
            """Hands over."""
            return "handed over"

        calls = [Scripted.call("hand_over", {}), WAIT]
        result = await Agent(Scripted(calls), tools=[hand_over, wait], limits=SHORT).arun("hi")
        assert ended(result) == ("terminal_tool", None, "handed over", 1)

    async def test_a_predicate_that_thinks_for_too_long(self) -> None:
        async def never(messages: Sequence[Message], text: str) -> bool:
            await anyio.sleep_forever()
            return True

        config = replace(FINAL, should_finalize=never)
        agent = Agent(Scripted("Done."), response_format=Ticket, structured_output=config, limits=SHORT)
        result = await agent.arun("hi")
        assert ended(result) == (*BY_TIME, "Done.", 1)
        assert result.structured_status == "not_attempted"

    async def test_a_prompt_that_takes_too_long_leaves_the_question(self) -> None:
        async def never() -> str:
            await anyio.sleep_forever()
            return ""

        sessions = InMemorySessions()
        sessions.append("s", [Message.user("before"), Message.assistant("yes")], 0)
        agent = Agent(Scripted("never"), system_prompt=never, sessions=sessions, limits=SHORT)
        result = await agent.arun("hi", session="s")
        assert ended(result) == (*BY_TIME, "", 0)
        assert result.messages == (Message.user("hi"),)
        assert [message.content for message in sessions.load("s").messages] == ["before", "yes", "hi"]

    async def test_a_session_that_cannot_be_loaded_in_time_is_left_alone(self) -> None:
        class Slow:
            appended = 0

            async def load(self, session: str, /) -> SessionHistory:
                await anyio.sleep_forever()
                return SessionHistory()

            async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
                self.appended += 1

        sessions = Slow()
        result = await Agent(Scripted("never"), sessions=sessions, limits=SHORT).arun("hi", session="s")
        assert (ended(result), sessions.appended) == ((*BY_TIME, "", 0), 0)

    async def test_saving_may_take_longer(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = 1000.0
        monkeypatch.setattr(in_time, "monotonic", lambda: now)

        class Slow(InMemorySessions):
            def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
                nonlocal now
                now += 3600
                super().append(session, messages, version)

        sessions = Slow()
        result = await Agent(Scripted("Done."), sessions=sessions, limits=LONG).arun("hi", session="s")
        assert ended(result) == ("completed", None, "Done.", 1)
        assert len(sessions.load("s").messages) == 2

    async def test_it_passes_while_nobody_reads_but_what_is_complete_is_kept(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = 1000.0
        monkeypatch.setattr(in_time, "monotonic", lambda: now)
        model = Scripted(["One ", "two"], ["One ", "two"])
        for provider, content in ((model, "One "), (model.whole_reply(), "One two")):
            async with Agent(provider, limits=LONG).astream("hi") as stream:
                await anext(stream)
                now += 3600
                async for _ in stream:
                    pass
            assert stream.result.content == content

    async def test_a_cancellation_is_no_limit(self) -> None:
        provider = Waiting()
        with anyio.move_on_after(0.02) as scope:
            await Agent(provider, limits=LONG).arun("hi")
        assert scope.cancelled_caught
        assert provider.closed == 1

    async def test_a_stream_may_be_closed_while_it_waits(self) -> None:
        provider = Waiting()
        async with Agent(provider, limits=LONG).astream("hi") as stream:
            await anext(stream)
        assert provider.closed == 1

    @pytest.mark.parametrize("anyio_backend", ["asyncio"])
    async def test_a_provider_may_hold_a_scope_open_across_its_pieces(self) -> None:
        class Scoped:
            async def stream(self, request: ModelRequest, /) -> AsyncIterator[ModelEvent]:
                with anyio.fail_after(60):
                    yield TextDelta("Hello")
                    await anyio.lowlevel.checkpoint()
                    yield ModelEnd()

        assert (await Agent(Scoped(), limits=LONG).arun("hi")).content == "Hello"


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
CONFIGS = st.sampled_from(
    [
        StructuredOutputConfig(),
        FINAL,
        replace(FINAL, hold_json=True),
        replace(FINAL, reuse_loop_answer=False),
        replace(FINAL, should_finalize=lambda messages, text: True),
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
    script = [[spent, *(call if isinstance(call, list) else [call] if call else [])] for call in calls]
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
