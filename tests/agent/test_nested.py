"""An agent as a tool of another: what it is given, what it gives back, and what counts where."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from finalturn import (
    Agent,
    AgentResult,
    AgentStream,
    ConfigurationError,
    Limits,
    Message,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    NestedActivity,
    RunContext,
    StreamChunk,
    StructuredOutputConfig,
    TextDelta,
    ToolCall,
    Usage,
    tool,
)
from finalturn._agent.nested import DEEPEST
from finalturn.observers import ObservedTurn, ToolCallEnded, TurnEnded, TurnEvent
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions

pytestmark = pytest.mark.anyio

SPENT = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
OUTER = Usage(input_tokens=1, output_tokens=1, total_tokens=2)

Shown = pytest.mark.parametrize("show", [False, True], ids=["hidden", "shown"])


class Finding(BaseModel):
    """What was found."""

    answer: int
    unit: str = "m"


@dataclass
class User:
    """Who is asking."""

    name: str


def ask(place: int = 0, task: str = "find it", name: str = "ask") -> ToolCall:
    return ToolCall(name, {"task": task}, f"c{place}")


def outer_of(inner: Agent[Any, Any], *calls: Any, show: bool = False, **parts: Any) -> Agent[Any, Any]:
    """An agent that asks another once, and then says so."""
    asked = calls or ([ask(), OUTER], ["done", OUTER])
    made = inner.as_tool("ask", "Finds things out.", show=show, **parts.pop("tool", {}))
    return Agent(Scripted(*asked), tools=[made, *parts.pop("tools", ())], **parts)


def tool_messages(result: AgentResult[Any]) -> list[Message]:
    return [message for message in result.messages if message.tool_name is not None]


async def read(stream: AgentStream[Any]) -> tuple[list[StreamChunk], AgentResult[Any]]:
    chunks = [item async for item in stream if isinstance(item, StreamChunk)]
    return chunks, stream.result


class TestResult:
    @Shown
    async def test_without_a_response_format_it_is_the_text(self, show: bool) -> None:
        result = await outer_of(Agent(Scripted(["It is ", "7."])), show=show).arun("?")
        assert [message.tool_result for message in tool_messages(result)] == ["It is 7."]

    @Shown
    @pytest.mark.parametrize("final_turn_only", [False, True])
    async def test_with_one_it_is_the_object_that_was_validated(
        self, show: bool, final_turn_only: bool
    ) -> None:
        config = StructuredOutputConfig(final_turn_only=final_turn_only)
        script = Scripted("Seven, I think.", '{"answer": 7}')
        inner = Agent(script, response_format=Finding, structured_output=config)
        result = await outer_of(inner, show=show).arun("?")
        [message] = tool_messages(result)
        assert message.tool_result is not None
        assert json.loads(message.tool_result) == {"answer": 7}

    @Shown
    async def test_a_predicate_that_wants_no_object_leaves_the_text(self, show: bool) -> None:
        config = StructuredOutputConfig(final_turn_only=True, should_finalize=lambda messages, text: False)
        inner = Agent(Scripted("Nothing to report."), response_format=Finding, structured_output=config)
        [message] = tool_messages(await outer_of(inner, show=show).arun("?"))
        assert message.tool_result == "Nothing to report."

    @Shown
    async def test_a_terminal_tool_of_it_gives_the_result(self, show: bool) -> None:
        @tool(terminal=True)
        def book(room: int) -> str:
            """Books a room."""
            return f"booked {room}"

        inner = Agent(Scripted(["Booking.", ToolCall("book", {"room": 4}, "b")]), tools=[book])
        [message] = tool_messages(await outer_of(inner, show=show).arun("?"))
        assert message.tool_result == "booked 4"

    @Shown
    @pytest.mark.parametrize(
        ("script", "parts", "words"),
        [
            ([["no", "refusal"]], {}, "it refused"),
            ([["cut", "length"]], {}, "what it wrote was cut off by the token limit"),
            (
                [ToolCall("echo", {"text": "a"}, "e")],
                {"max_iterations": 1},
                "it still called tools when it had to be done",
            ),
            (
                [ToolCall("echo", {"text": "a"}, "e")],
                {"limits": Limits(requests=1)},
                "it reached its limit of requests to the model",
            ),
            (
                ["x", "secret", "secret"],
                {"response_format": Finding},
                "what it wrote is not the object that it should give (",
            ),
        ],
    )
    async def test_without_an_answer_the_tool_fails_and_says_why(
        self, show: bool, script: list[Any], parts: dict[str, Any], words: str
    ) -> None:
        inner = Agent(Scripted(*map(_ends, script)), tools=[echo], **parts)
        [message] = tool_messages(await outer_of(inner, show=show).arun("?"))
        assert message.tool_failure == "tool_error"
        assert message.content.startswith(f"The agent ask gave no answer: {words}")
        assert "secret" not in message.content

    @Shown
    async def test_an_exception_of_its_turn_is_one_of_the_tool(self, show: bool) -> None:
        [message] = tool_messages(await outer_of(Agent(Scripted(Scripted.CUT)), show=show).arun("?"))
        assert message.tool_failure == "error"
        assert message.content.startswith("ProviderError: ")

    @Shown
    async def test_an_interrupt_in_it_ends_the_outer_turn(self, show: bool) -> None:
        def interrupt() -> str:
            raise KeyboardInterrupt

        inner = Agent(Scripted("x"), system_prompt=interrupt)
        with pytest.raises(KeyboardInterrupt):
            await outer_of(inner, show=show).arun("?")


@tool
def echo(text: str) -> str:
    """Says it again."""
    return text


def _ends(item: Any) -> Any:
    """A script's item; a text with a finish reason is a list of two."""
    if isinstance(item, list):
        text, reason = item
        return [text, ModelEnd(reason)]
    return item


class TestGiven:
    @Shown
    async def test_it_is_given_the_task_and_nothing_of_the_conversation(self, show: bool) -> None:
        script = Scripted("7")
        store = InMemorySessions()
        inner = Agent(script, system_prompt="You search.", sessions=store)
        outer = outer_of(inner, show=show, system_prompt="You talk.", sessions=InMemorySessions())
        await outer.arun("What is it?", session="s")
        [request] = script.requests
        assert [message.content for message in request.messages] == ["find it"]
        assert request.system == "You search."
        assert store.load("s").messages == ()

    async def test_the_model_is_told_of_one_argument(self) -> None:
        made = Agent(Scripted("7")).as_tool("ask", "Finds things out.")
        assert made.name == made.__name__ == "ask" and made.description == "Finds things out."
        [parameter] = made.parameters["properties"].items()
        assert parameter[0] == "task" and parameter[1]["type"] == "string"
        assert "it knows nothing of this conversation" in parameter[1]["description"]
        assert made.timeout is None and not made.terminal

    @Shown
    async def test_arguments_that_do_not_fit_start_nothing(self, show: bool) -> None:
        script = Scripted("7")
        call = ToolCall("ask", {"question": "x"}, "c")
        [message] = tool_messages(await outer_of(Agent(script), call, "done", show=show).arun("?"))
        assert message.tool_failure == "arguments" and script.requests == []

    @Shown
    async def test_its_functions_get_the_deps_of_the_outer_turn(self, show: bool) -> None:
        contexts: list[RunContext[User]] = []

        def prompt(ctx: RunContext[User]) -> str:
            contexts.append(ctx)
            return ctx.deps.name

        script = Scripted("7", "7", "7", "7")
        inner = Agent(script, deps_type=User, system_prompt=prompt)
        outer_contexts: list[RunContext[User]] = []

        @tool
        def spy(ctx: RunContext[User]) -> str:
            """Looks."""
            outer_contexts.append(ctx)
            return ""

        calls: tuple[Any, ...] = ([ask(), ask(1), ToolCall("spy", {}, "s")], "done")
        for _ in range(2):
            outer = outer_of(inner, *calls, show=show, deps_type=User, tools=[spy])
            await outer.arun("?", deps=User("Ada"), run_id="run")
        assert [request.system for request in script.requests] == ["Ada"] * 4
        first, second, *again = (context.run_id for context in contexts)
        assert again == [first, second] and first != second
        assert {context.session for context in contexts} == {None}
        assert {context.call_id for context in contexts} == {None}
        assert outer_contexts[0].run_id == "run"
        assert outer_contexts[0].idempotency_key not in (first, second)

    @Shown
    async def test_an_agent_without_deps_may_be_the_tool_of_one_with(self, show: bool) -> None:
        outer = outer_of(Agent(Scripted("7")), show=show, deps_type=User)
        [message] = tool_messages(await outer.arun("?", deps=User("Ada")))
        assert message.tool_result == "7"

    def test_deps_of_another_type_are_refused_when_the_agent_is_made(self) -> None:
        inner = Agent(Scripted("7"), deps_type=User)
        with pytest.raises(ConfigurationError, match=r"tool ask asks for RunContext\[User\]"):
            outer_of(inner, deps_type=int)
        with pytest.raises(ConfigurationError, match="give it deps_type=User"):
            outer_of(inner)

    @Shown
    async def test_a_context_that_no_turn_has_made_will_do(self, show: bool) -> None:
        inner = Agent(Scripted("7"), deps_type=User, system_prompt=lambda: "")
        made = inner.as_tool("ask", "Finds.", show=show)
        assert await made(RunContext(User("Ada"), "run"), "find it") == "7"

    async def test_two_turns_of_one_call_have_different_ids(self) -> None:
        ids: list[str] = []

        def prompt(ctx: RunContext[object]) -> str:
            ids.append(ctx.run_id)
            return ""

        made = Agent(Scripted("6", "7"), system_prompt=prompt).as_tool("ask", "Finds.")
        keys: list[str] = []

        @tool
        async def twice(ctx: RunContext[object]) -> str:
            """Asks twice."""
            keys.append(ctx.idempotency_key)
            return await made(ctx, "one") + await made(ctx, "two")

        outer = Agent(Scripted(ToolCall("twice", {}, "t"), "done"), tools=[twice])
        result = await outer.arun("?")
        assert ids == [keys[0], f"{keys[0]}-1"]
        assert result.usage.unreported_calls == 4

    @pytest.mark.parametrize(
        ("parts", "words"),
        [
            ({"name": "no name"}, "a tool's name is"),
            ({"name": 3}, "name must be of type str"),
            ({"description": None}, "description must be of type str"),
            ({"show": 1}, "show must be of type bool"),
            ({"timeout": 0}, "tool ask: timeout"),
            ({"available": 3}, "available must be a function"),
        ],
    )
    def test_a_part_that_cannot_work_is_named(self, parts: dict[str, Any], words: str) -> None:
        with pytest.raises(ConfigurationError, match=words):
            Agent(Scripted("7")).as_tool(**{"name": "ask", "description": "Finds.", **parts})

    async def test_it_is_offered_and_terminal_as_any_tool(self) -> None:
        parts = {"available": lambda ctx: False, "terminal": True}
        withheld = outer_of(Agent(Scripted("7")), tool=parts)
        [message] = tool_messages(await withheld.arun("?"))
        assert message.tool_failure == "unknown_tool"
        ended = await outer_of(Agent(Scripted("7")), [ask(), OUTER], tool={"terminal": True}).arun("?")
        assert ended.stop_reason == "terminal_tool"


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


class TestRecursion:
    @Shown
    async def test_an_agent_does_not_run_in_itself(self, show: bool) -> None:
        script = Scripted([ask(), OUTER], ["done", OUTER])
        agent = Agent(script)
        with agent.override(tools=[agent.as_tool("ask", "Asks itself.", show=show)]):
            result = await agent.arun("?")
        [message] = tool_messages(result)
        assert message.tool_failure == "tool_error"
        assert message.content.startswith("The agent ask was not asked: it is at work on this already")
        assert len(script.requests) == 2 and result.usage == OUTER + OUTER

    @Shown
    async def test_nor_through_another(self, show: bool) -> None:
        first = Agent(Scripted([ask(), OUTER], ["done", OUTER]))
        second = Agent(
            Scripted([ask(), SPENT], ["second", SPENT]), tools=[first.as_tool("ask", "First.", show=show)]
        )
        chunks, result = await read(first.astream("?", tools=[second.as_tool("ask", "Second.", show=True)]))
        [message] = tool_messages(result)
        assert message.tool_result == "second"
        inner = [chunk.activity.chunk.tool_message for chunk in chunks if chunk.activity is not None]
        [refused] = [message for message in inner if message is not None]
        assert "is at work on this already" in refused.content

    @Shown
    async def test_agents_run_in_each_other_so_deep_and_no_deeper(self, show: bool) -> None:
        scripts = [Scripted("bottom")]
        agent: Agent[Any, Any] = Agent(scripts[0])
        for _ in range(DEEPEST + 1):
            script = Scripted(ask(), "up")
            agent = Agent(script, tools=[agent.as_tool("ask", "Deeper.", show=show)])
            scripts.append(script)
        await agent.arun("?")
        assert [len(script.requests) for script in scripts] == [0, *[2] * (DEEPEST + 1)]
        deepest = scripts[1].requests[1].messages[-1]
        assert deepest.content == f"The agent ask was not asked: agents ask agents at most {DEEPEST} deep."


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
