"""An agent as a tool of another: what it is given, and what it gives back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from finalturn import (
    Agent,
    ConfigurationError,
    Limits,
    ModelEnd,
    RunContext,
    StructuredOutputConfig,
    Tool,
    ToolCall,
    tool,
)
from finalturn._agent.nested import DEEPEST
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._nested import OUTER, SPENT, Finding, Shown, User, ask, echo, outer_of, read, tool_messages

pytestmark = pytest.mark.anyio


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
            ([["no", ModelEnd("refusal")]], {}, "it refused"),
            ([["cut", ModelEnd("length")]], {}, "what it wrote was cut off by the token limit"),
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
        inner = Agent(Scripted(*script), tools=[echo], **parts)
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


def never(ctx: RunContext[object]) -> bool:
    return False


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
        given: dict[str, Any] = {"name": "ask", "description": "Finds.", **parts}
        with pytest.raises(ConfigurationError, match=words):
            Agent(Scripted("7")).as_tool(**given)

    async def test_it_is_offered_and_terminal_as_any_tool(self) -> None:
        parts: dict[str, Any] = {"available": never, "terminal": True}
        withheld = outer_of(Agent(Scripted("7")), tool=parts)
        [message] = tool_messages(await withheld.arun("?"))
        assert message.tool_failure == "unknown_tool"
        ended = await outer_of(Agent(Scripted("7")), [ask(), OUTER], tool={"terminal": True}).arun("?")
        assert ended.stop_reason == "terminal_tool"


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
        second = Agent(Scripted([ask(), SPENT], ["second", SPENT]))
        script = Scripted([ask(), OUTER], ["done", OUTER])
        first = Agent(script, tools=[second.as_tool("ask", "Second.", show=True)])
        with second.override(tools=[first.as_tool("ask", "First.", show=show)]):
            chunks, result = await read(first.astream("?"))
        [message] = tool_messages(result)
        assert message.tool_result == "second"
        inner = [chunk.activity.chunk.tool_message for chunk in chunks if chunk.activity is not None]
        [refused] = [message for message in inner if message is not None]
        assert "is at work on this already" in refused.content

    def test_tools_of_a_call_that_lead_back_to_its_agent_are_refused_before(self) -> None:
        script = Scripted("fine")
        agent = Agent(script)
        itself = agent.as_tool("itself", "Asks itself.")
        between = Agent(Scripted("never"), tools=[echo, itself]).as_tool("between", "Asks.")
        leading_back: list[list[Tool[..., Any]]] = [[echo, itself], [between]]
        for tools in leading_back:
            with pytest.raises(ConfigurationError, match="the tool itself is the agent itself"):
                agent.run("?", tools=tools)
        assert script.requests == []
        other = Agent(Scripted("never")).as_tool("other", "Asks another.")
        assert agent.run("?", tools=[other]).text == "fine"

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
