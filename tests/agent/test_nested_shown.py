"""An agent as a tool of another: what it shows, who observes it, and what it uses."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import anyio
import pytest

from finalturn import (
    Agent,
    Limits,
    ModelEvent,
    ModelRequest,
    NestedActivity,
    StreamChunk,
    TextDelta,
    ToolCall,
    Usage,
    tool,
)
from finalturn.observers import ObservedTurn, ToolCallEnded, TurnEnded, TurnEvent
from finalturn.providers import Scripted
from tests.agent._nested import OUTER, SPENT, Shown, ask, echo, outer_of, read, tool_messages

pytestmark = pytest.mark.anyio


class TestCounts:
    @Shown
    async def test_usage_is_the_sum_and_the_calls_are_those_of_the_outer_turn(self, show: bool) -> None:
        inner = Agent(
            Scripted([ToolCall("echo", {"text": "a"}, "e"), SPENT], ["7", SPENT], ["8", SPENT]), tools=[echo]
        )
        outer = outer_of(inner, [ask(), ask(1), OUTER], ["done", OUTER], show=show)
        chunks, result = await read(outer.astream("?"))
        assert result.usage == OUTER + OUTER + SPENT + SPENT + SPENT
        assert (result.model_calls, result.answer_call) == (2, 1)
        assert {chunk.call for chunk in chunks} == {0, 1}

    @Shown
    async def test_it_counts_when_the_inner_turn_fails(self, show: bool) -> None:
        inner = Agent(Scripted([ToolCall("echo", {"text": "a"}, "e"), SPENT], Scripted.CUT), tools=[echo])
        result = await outer_of(inner, show=show).arun("?")
        assert result.usage == OUTER + OUTER + SPENT + Usage(unreported_calls=1)

    @Shown
    async def test_it_counts_when_the_call_is_over_its_time(self, show: bool) -> None:
        inner = Agent(
            Scripted([ToolCall("echo", {"text": "a"}, "e"), SPENT], [anyio.sleep_forever]), tools=[echo]
        )
        result = await outer_of(inner, show=show, tool={"timeout": 0.05}).arun("?")
        [message] = tool_messages(result)
        assert message.tool_failure == "timeout"
        assert message.content == "The tool ask did not finish within 0.05 seconds."
        assert result.usage == OUTER + OUTER + SPENT + Usage(unreported_calls=1)

    @Shown
    async def test_it_counts_while_it_goes_on_and_when_the_outer_turn_is_left(self, show: bool) -> None:
        waiting = anyio.Event()

        async def wait() -> None:
            waiting.set()
            await anyio.sleep_forever()

        inner = Agent(Scripted([ToolCall("echo", {"text": "a"}, "e"), SPENT], ["7", wait]), tools=[echo])
        stream = outer_of(inner, show=show).astream("?")

        async def reads() -> None:
            with pytest.raises(Exception, match="it was closed"):
                await read(stream)

        async with anyio.create_task_group() as group:
            group.start_soon(reads)
            await waiting.wait()
            assert stream.usage == OUTER + SPENT
            await stream.aclose()
        assert stream.usage == OUTER + SPENT + Usage(unreported_calls=1)

    async def test_a_stream_that_is_left_between_two_items_stops_what_it_shows(self) -> None:
        closed: list[str] = []

        class Endless:
            async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
                try:
                    while True:
                        yield TextDelta("a")
                finally:
                    closed.append("closed")

        inner = Agent(Endless())
        async with outer_of(inner, show=True).astream("?") as stream:
            async for item in stream:
                if isinstance(item, StreamChunk) and item.activity is not None:
                    break
            assert closed == []
        assert closed == ["closed"]
        assert stream.usage == OUTER + Usage(unreported_calls=1)

    @Shown
    async def test_limits_of_the_outer_turn_hold_in_it(self, show: bool) -> None:
        script = Scripted([ToolCall("echo", {"text": "a"}, "e"), SPENT], ["7", SPENT])
        outer = outer_of(Agent(script, tools=[echo]), show=show, limits=Limits(requests=2))
        result = await outer.arun("?")
        assert len(script.requests) == 1
        assert (result.stop_reason, result.limit) == ("limit_reached", "requests")
        [message] = tool_messages(result)
        assert message.content == (
            "The agent ask gave no answer: it reached its limit of requests to the model."
        )
        assert result.usage == OUTER + SPENT

    @Shown
    async def test_time_of_the_outer_turn_ends_it(self, show: bool) -> None:
        inner = Agent(Scripted(["7", anyio.sleep_forever]))
        result = await outer_of(inner, [ask(), ask(1), OUTER], show=show, limits=Limits(seconds=0.1)).arun(
            "?"
        )
        assert result.limit == "seconds"
        assert all(message.tool_failure is not None for message in tool_messages(result))
        assert len(tool_messages(result)) == 2


class TestShows:
    async def test_what_it_shows_is_apart_from_what_the_outer_turn_shows(self) -> None:
        inner = Agent(
            Scripted(["Looking.", ToolCall("echo", {"text": "a"}, "e")], ["It is ", "7."], "8"), tools=[echo]
        )
        chunks, result = await read(outer_of(inner, [ask(), ask(1)], "done", show=True).astream("?"))
        shown = [chunk.activity for chunk in chunks if chunk.activity is not None]
        first = [one.chunk for one in shown if one.call_id == "c0"]
        assert {(one.tool, one.call_id, one.index) for one in shown} == {("ask", "c0", 0), ("ask", "c1", 1)}
        assert [chunk.content for chunk in first if chunk.content] == ["Looking.", "It is ", "7."]
        assert [chunk.call for chunk in first] == [0, 0, 0, 1, 1]
        assert result.text == "done"
        assert "Looking" not in repr(result)

    async def test_the_token_callback_gets_none_of_it(self) -> None:
        pieces: list[str] = []
        inner = Agent(Scripted("7"))
        await outer_of(inner, show=True).arun("?", stream_handler=pieces.append)
        assert pieces == ["done"]

    async def test_a_hidden_one_shows_nothing(self) -> None:
        chunks, _ = await read(outer_of(Agent(Scripted("7"))).astream("?"))
        assert [chunk for chunk in chunks if chunk.activity is not None] == []

    async def test_an_agent_in_it_is_shown_in_it(self) -> None:
        lowest = Agent(Scripted("7"))
        middle = outer_of(lowest, show=True)
        chunks, _ = await read(outer_of(middle, show=True).astream("?"))
        nested = [chunk.activity.chunk.activity for chunk in chunks if chunk.activity is not None]
        assert [one for one in nested if one] == [NestedActivity("c0", "ask", StreamChunk(content="7"))]

    async def test_other_tools_run_first_and_results_stay_in_call_order(self) -> None:
        order: list[str] = []

        @tool
        def plain() -> str:
            """Runs."""
            order.append("plain")
            return "plain"

        def prompt() -> str:
            order.append("agent")
            return ""

        inner = Agent(Scripted("7", "8"), system_prompt=prompt)
        calls = [ask(), ToolCall("plain", {}, "p"), ask(1)]
        result = await outer_of(inner, calls, "done", show=True, tools=[plain]).arun("?")
        assert order == ["plain", "agent", "agent"]
        assert [message.content for message in tool_messages(result)] == ["7", "plain", "8"]

    async def test_nothing_of_it_runs_between_two_items(self) -> None:
        steps: list[str] = []

        def step(name: str) -> Callable[[], None]:
            return lambda: steps.append(name)

        inner = Agent(Scripted(["a", step("first"), "b", step("second"), "c"]))
        async with outer_of(inner, show=True).astream("?") as stream:
            seen = [
                (item.activity.chunk.content, len(steps))
                async for item in stream
                if isinstance(item, StreamChunk) and item.activity is not None
            ]
        assert seen == [("a", 0), ("b", 1), ("c", 2)]


class Log:
    """Notes what happens in turns."""

    def __init__(self) -> None:
        self.turns: list[tuple[ObservedTurn, list[TurnEvent]]] = []

    def observe(self, turn: ObservedTurn) -> Any:
        events: list[TurnEvent] = []
        self.turns.append((turn, events))

        class Watch:
            def on_event(self, event: TurnEvent) -> None:
                events.append(event)

        return Watch()


class TestObservers:
    @Shown
    async def test_who_observes_the_outer_turn_observes_it_once(self, show: bool) -> None:
        log, own = Log(), Log()
        inner = Agent(Scripted("7"), observers=[log, own])
        await outer_of(inner, show=show, observers=[log]).arun("?")
        assert [turn.depth for turn, _ in log.turns] == [0, 1]
        assert [turn.depth for turn, _ in own.turns] == [1]
        ended = [event for _, events in log.turns for event in events if isinstance(event, TurnEnded)]
        assert len(ended) == 2

    @Shown
    async def test_each_call_begins_and_ends(self, show: bool) -> None:
        log = Log()
        inner = Agent(Scripted("7", Scripted.CUT))
        await outer_of(inner, [ask(), ask(1)], "done", show=show, observers=[log]).arun("?")
        events = [event for event in log.turns[0][1] if isinstance(event, ToolCallEnded)]
        told = {(event.index, event.text[:13], event.failure, type(event.error).__name__) for event in events}
        assert told == {(0, "7", None, "NoneType"), (1, "ProviderError", "error", "ProviderError")}

    async def test_a_call_that_is_left_is_told_as_cancelled(self) -> None:
        log = Log()
        async with outer_of(Agent(Scripted(["a", "b"])), show=True, observers=[log]).astream("?") as stream:
            async for item in stream:
                if isinstance(item, StreamChunk) and item.activity is not None:
                    break
        ended = [event for event in log.turns[0][1] if isinstance(event, ToolCallEnded)]
        assert [event.cancelled for event in ended] == [True]
        assert [type(events[-1]) for _, events in log.turns] == [TurnEnded, TurnEnded]
