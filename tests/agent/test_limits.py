"""Limits of a turn, end to end: whose hold, what is stopped and how, and that nothing hangs."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    AgentResult,
    ConfigurationError,
    Limits,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    SessionHistory,
    StreamChunk,
    TextDelta,
    Usage,
    tool,
)
from finalturn._adapters import in_time
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._limits import ACT, BY_TIME, CLOCK, LONG, SHORT, WAIT, act, ended, wait
from tests.agent._parts import FINAL, Ticket

pytestmark = pytest.mark.anyio


@pytest.fixture
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of limits is that of the clock. What is waited for is stopped all the same."""
    monkeypatch.setattr(in_time, "monotonic", CLOCK)


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
