"""The context of a run: who gets it, what it says, and that it is nobody else's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import anyio
import anyio.lowlevel
import pytest

from finalturn import (
    Agent,
    AgentResult,
    ConfigurationError,
    Denial,
    Message,
    RunContext,
    StructuredOutputConfig,
    Tool,
    ToolCall,
    ToolPolicy,
    Usage,
    tool,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._parts import Ticket

pytestmark = pytest.mark.anyio


@dataclass
class User:
    """Who is asking."""

    name: str
    seen: list[RunContext[Any]] = field(default_factory=list[RunContext[Any]])


class Guest(User):
    """A user of a kind."""


class Order:
    """No user."""


@tool
def whoami(ctx: RunContext[User]) -> str:
    """Who is asking."""
    ctx.deps.seen.append(ctx)
    return ctx.deps.name


@tool
async def greet(ctx: RunContext[User], greeting: str, /, *, loud: bool = False) -> str:
    """Greets.

    Args:
        greeting: a word.
        loud: whether to shout.
    """
    return f"{greeting} {ctx.deps.name}{'!' if loud else ''}"


@tool
def plain(order: str) -> str:
    """Asks for nothing."""
    return order


def calls(*asked: ToolCall) -> Scripted:
    """A model that asks for these tools, and then says so."""
    return Scripted(asked, "done")


def outcome(result: AgentResult[Any]) -> list[str]:
    """The texts that the tools gave."""
    return [message.content for message in result.messages if message.tool_call_id is not None]


class TestTools:
    def test_the_context_is_no_part_of_the_schema(self) -> None:
        assert whoami.parameters["properties"] == {}
        assert list(greet.parameters["properties"]) == ["greeting", "loud"]

    async def test_get_it_first(self) -> None:
        agent = Agent(
            calls(ToolCall("whoami"), ToolCall("greet", {"greeting": "hi", "loud": True})),
            tools=[whoami, greet],
            deps_type=User,
        )
        assert outcome(await agent.arun("?", deps=User("ann"))) == ["ann", "hi ann!"]

    def test_synchronous_ways_give_it_too(self) -> None:
        agent = Agent(calls(ToolCall("whoami")), tools=[whoami], deps_type=User)
        assert outcome(agent.run("?", deps=User("ann"))) == ["ann"]
        agent = Agent(calls(ToolCall("whoami")), tools=[whoami], deps_type=User)
        with agent.stream("?", deps=User("bob")) as stream:
            *_, result = stream
        assert isinstance(result, AgentResult)
        assert outcome(result) == ["bob"]

    async def test_of_a_schema_get_it_too(self) -> None:
        def fn(ctx: RunContext[User], **arguments: Any) -> str:
            return f"{ctx.deps.name} {arguments}"

        made = Tool.from_schema("made", "Made.", {"type": "object", "properties": {"a": {}}}, fn)
        agent = Agent(calls(ToolCall("made", {"a": 1})), tools=[made], deps_type=User)
        assert outcome(await agent.arun("?", deps=User("ann"))) == ["ann {'a': 1}"]

    async def test_on_methods(self) -> None:
        class Shop:
            @tool
            def buy(self, ctx: RunContext[User], order: str) -> str:
                """Buys."""
                return f"{ctx.deps.name} {order}"

        agent = Agent(calls(ToolCall("buy", {"order": "x"})), tools=[Shop().buy], deps_type=User)
        assert outcome(await agent.arun("?", deps=User("ann"))) == ["ann x"]

    def test_need_it_as_their_first_parameter(self) -> None:
        def late(order: str, ctx: RunContext[User]) -> str:
            return order

        with pytest.raises(ConfigurationError, match="must be its first parameter, and 'ctx' is not"):
            Tool(late)

    async def test_know_their_call(self) -> None:
        user = User("ann")
        agent = Agent(
            calls(ToolCall("whoami", id="a"), ToolCall("whoami", id="b")),
            tools=[whoami],
            deps_type=User,
            sessions=InMemorySessions(),
        )
        await agent.arun("?", deps=user, session="s-1", run_id="run-1")
        first, second = sorted(user.seen, key=lambda ctx: ctx.call_id or "")
        assert (first.session, first.run_id, first.call_id, first.attempt) == ("s-1", "run-1", "a", 1)
        assert first.usage == Usage(unreported_calls=1)
        assert first.messages[0].content == "?"
        assert first.messages[-1].tool_calls == (ToolCall("whoami", id="a"), ToolCall("whoami", id="b"))
        assert first.idempotency_key != second.idempotency_key
        assert len(first.idempotency_key) == 64

    async def test_the_key_of_a_call_that_is_run_again_is_the_same(self) -> None:
        seen: list[User] = []
        for run in ("run-1", "run-1", "run-2"):
            seen.append(User("ann"))
            agent = Agent(calls(ToolCall("whoami", id="a")), tools=[whoami], deps_type=User)
            await agent.arun("?", deps=seen[-1], run_id=run)
        keys = [user.seen[0].idempotency_key for user in seen]
        assert keys[0] == keys[1] != keys[2]

    async def test_count_their_tries(self) -> None:
        tries: list[int] = []

        @tool
        def flaky(ctx: RunContext[None]) -> str:
            tries.append(ctx.attempt)
            if len(tries) in (1, 2):
                raise ValueError("no")
            return "yes"

        asks = ToolCall("flaky")
        await Agent(Scripted(asks, asks, asks, asks, "done"), tools=[flaky]).arun("?")
        assert tries == [1, 2, 3, 1]

    def test_its_repr_does_not_show_deps(self) -> None:
        assert "secret" not in repr(RunContext("secret", "run-1"))


class TestOthersThatAsk:
    async def test_prompts_contexts_gates_approvals_and_predicates(self) -> None:
        asked: list[str] = []

        def note(what: str, ctx: RunContext[User]) -> None:
            asked.append(f"{what} {ctx.deps.name} {ctx.call_id} {len(ctx.messages)}")

        def prompt(ctx: RunContext[User]) -> str:
            note("prompt", ctx)
            return "You help."

        async def injected(ctx: RunContext[User]) -> str:
            note("context", ctx)
            return ctx.deps.name

        def approve(ctx: RunContext[User], call: ToolCall) -> bool:
            note(f"approve {call.name}", ctx)
            return True

        async def wanted(ctx: RunContext[User], messages: Sequence[Message], text: str) -> bool:
            note(f"finalize {text}", ctx)
            return False

        class Gate:
            def check(
                self, ctx: RunContext[User], call: ToolCall, messages: Sequence[Message], /
            ) -> Denial | None:
                note(f"gate {call.name}", ctx)
                return None

        agent = Agent(
            calls(ToolCall("whoami", id="a")),
            tools=[whoami],
            deps_type=User,
            system_prompt=prompt,
            context=[injected],
            gates=[Gate(), ToolPolicy(needs_approval=["*"], approve=approve)],
            structured_output=StructuredOutputConfig(final_turn_only=True, should_finalize=wanted),
            response_format=Ticket,
        )
        result = await agent.arun("?", deps=User("ann"))
        assert result.structured_status == "skipped"
        assert asked == [
            "prompt ann None 1",
            "context ann None 1",
            "gate whoami ann a 3",
            "approve whoami ann a 3",
            "finalize done ann None 4",
        ]

    async def test_a_policy_within_another_gate_denies_without_the_context(self) -> None:
        policy = ToolPolicy(needs_approval=["*"], approve=lambda call: True)
        assert await as_denial(policy.check(ToolCall("a"), ())) is None

        def approve(ctx: RunContext[User], call: ToolCall) -> bool:
            return True

        policy = ToolPolicy(needs_approval=["*"], approve=approve)
        denial = await as_denial(policy.check(ToolCall("a"), ()))
        assert denial is not None and "needs the context of the run" in denial.reason
        given = policy.check(ToolCall("a"), (), context=RunContext(User("ann"), "run-1"))
        assert await as_denial(given) is None


async def as_denial(answer: Any) -> Denial | None:
    """What a gate answers, awaited."""
    denial: Denial | None = await answer if hasattr(answer, "__await__") else answer
    return denial


class TestAvailability:
    async def test_a_tool_is_offered_when_its_function_says_so(self) -> None:
        def for_ann(ctx: RunContext[User]) -> bool:
            return ctx.deps.name == "ann"

        @tool(available=for_ann)
        def secret(order: str) -> str:
            return order

        for name, offered in (("ann", ["secret", "plain"]), ("bob", ["plain"])):
            provider = calls(ToolCall("secret", {"order": "x"}))
            agent = Agent(provider, tools=[secret, plain], deps_type=User)
            result = await agent.arun("?", deps=User(name))
            assert [spec.name for spec in provider.requests[0].tools] == offered
            assert (outcome(result) == ["x"]) is (name == "ann")

    async def test_an_answer_that_is_no_bool_is_refused(self) -> None:
        async def odd(ctx: RunContext[None]) -> Any:
            return "yes"

        made = Tool(plain.__wrapped__, available=odd)
        with pytest.raises(TypeError, match="available of the tool plain must give a bool, not str"):
            await Agent(Scripted("x"), tools=[made]).arun("?")

    def test_it_is_a_function(self) -> None:
        odd: Any = True
        with pytest.raises(ConfigurationError, match="available must be a function of a RunContext"):
            Tool(plain.__wrapped__, available=odd)


class TestDeps:
    def test_are_needed_where_there_is_a_type(self) -> None:
        agent: Any = Agent(Scripted("x"), deps_type=User)
        with pytest.raises(ConfigurationError, match="deps of type User, and the call gives none"):
            agent.run("?")
        with pytest.raises(ConfigurationError, match="deps must be of type User, not an Order"):
            agent.run("?", deps=Order())
        assert agent.run("?", deps=Guest("ann")).content == "x"

    def test_are_needed_where_the_type_is_no_plain_class(self) -> None:
        class Named(Protocol):
            name: str

        for kind, name in ((Named, "Named"), (dict[str, int], r"dict\[str, int\]"), (User | Order, "User")):
            odd: Any = kind
            agent: Any = Agent(Scripted("x"), deps_type=odd)
            with pytest.raises(ConfigurationError, match=f"{name}.* and the call gives none"):
                agent.run("?")

    def test_need_not_be_given_where_the_type_admits_none(self) -> None:
        for kind in (User | None, object, Any, type(None)):
            odd: Any = kind
            agent: Any = Agent(Scripted("x"), deps_type=odd)
            assert agent.run("?").content == "x"

    def test_are_refused_where_there_is_none(self) -> None:
        agent: Any = Agent(Scripted("x"))
        with pytest.raises(ConfigurationError, match="give the agent deps_type=User"):
            agent.run("?", deps=User("ann"))
        assert agent.run("?", deps=None).content == "x"

    def test_of_another_type_are_refused_before_any_call(self) -> None:
        tools: list[Any] = [whoami]
        with pytest.raises(ConfigurationError, match=r"tool whoami asks for RunContext\[User\], and"):
            Agent(Scripted("x"), tools=tools)
        kind: Any = Order
        with pytest.raises(ConfigurationError, match="deps_type is Order"):
            Agent(Scripted("x"), tools=tools, deps_type=kind)

        def approve(ctx: RunContext[User], call: ToolCall) -> bool:
            return True

        policy = ToolPolicy(needs_approval=["*"], approve=approve)
        with pytest.raises(ConfigurationError, match=r"gates\[0\]: approve asks for RunContext\[User\]"):
            Agent(Scripted("x"), gates=[policy], deps_type=Order)
        assert Agent(Scripted("x"), gates=[policy], deps_type=Guest)
        agent: Any = Agent(Scripted("x"))
        with pytest.raises(ConfigurationError, match="tool whoami asks"):
            agent.run("?", tools=tools)


async def test_a_storm_of_turns_never_mixes_owners() -> None:
    @tool
    async def mine(ctx: RunContext[User], name: str) -> str:
        """Whose turn it is."""
        await anyio.lowlevel.checkpoint()
        assert ctx.deps.name == name and ctx.session == name
        return name

    @tool
    def mine_too(ctx: RunContext[User], name: str) -> str:
        """Whose turn it is, in a thread."""
        assert ctx.deps.name == name and ctx.messages[0].content == name
        return name

    def script(name: str) -> Scripted:
        return calls(ToolCall("mine", {"name": name}), ToolCall("mine_too", {"name": name}))

    agent = Agent(Scripted(), tools=[mine, mine_too], deps_type=User, sessions=InMemorySessions())
    results: dict[str, list[str]] = {}

    async def turn(name: str) -> None:
        result = await agent.arun(name, deps=User(name), session=name, provider=script(name))
        results[name] = outcome(result)

    async with anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(turn, f"user-{number}")
    assert results == {f"user-{number}": [f"user-{number}"] * 2 for number in range(100)}
