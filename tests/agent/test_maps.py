"""`Agent.map` and `Agent.amap`: what they may be given."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from finalturn import (
    Agent,
    BatchRetries,
    ConfigurationError,
    ModelSettings,
    RunContext,
    RunOptions,
    SessionError,
    tool,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._batches import echo
from tests.agent._parts import ANSWER, FINAL, Ticket

pytestmark = pytest.mark.anyio


async def nothing() -> AsyncIterator[str]:
    yield "never"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"at_a_time": 0}, "at_a_time must be at least 1, not 0"),
    ({"at_a_time": "8"}, "at_a_time must be of type int"),
    ({"ordered": 1}, "ordered must be of type bool"),
    ({"retries": -1}, "count must be a whole number"),
    ({"retries": 1.5}, "retries must be of type int"),
    ({"provider": object()}, "the provider must be an object"),
    ({"deps": 3}, "the call gives deps, and the agent has none"),
    ({"session": "s"}, "at_a_time=1"),
    ({"provider": echo(), "tools": ["no tool"]}, "must be a Tool"),
    ({"response_format": 3}, "response_format"),
]


class TestBoth:
    @pytest.mark.parametrize(("options", "message"), WRONG)
    async def test_refuse_what_would_fail_every_turn(self, options: dict[str, Any], message: str) -> None:
        model = echo()
        agent = Agent(model, sessions=InMemorySessions())
        for start in (agent.map, agent.amap):
            with pytest.raises(ConfigurationError, match=message):
                start(["a"], **options)
        assert model.requests == []

    @pytest.mark.parametrize("inputs", ["text", b"text", {"a": "b"}, 3, None])
    async def test_refuse_one_input(self, inputs: Any) -> None:
        for start in (Agent(echo()).map, Agent(echo()).amap):
            with pytest.raises(ConfigurationError, match="inputs must be many"):
                start(inputs)

    async def test_say_which_argument_they_do_not_have(self) -> None:
        options: dict[str, Any] = {"at_once": 3}
        with pytest.raises(TypeError, match=r"Agent.map\(\) has no argument 'at_once'"):
            Agent(echo()).map(["a"], **options)
        with pytest.raises(TypeError, match=r"Agent.amap\(\) has no argument 'at_once'"):
            Agent(echo()).amap(["a"], **options)

    async def test_take_the_options_of_a_call(self) -> None:
        @tool
        def whoami(ctx: RunContext[str]) -> str:
            """Who is asking."""
            return ctx.deps

        agent = Agent(Scripted("unused"), deps_type=str)
        model = Scripted([Scripted.call("whoami")], "it is ann", ANSWER)
        async with agent.amap(
            ["who?"],
            deps="ann",
            provider=model,
            tools=[whoami],
            system_prompt="Be brief.",
            settings=ModelSettings(seed=7),
            response_format=Ticket,
            retries=BatchRetries(count=0),
        ) as batch:
            item = await anext(batch)
        assert item.unwrap().unwrap() == Ticket(topic="order", urgent=True)
        assert item.unwrap().messages[2].content == "ann"
        assert model.requests[0].system.startswith("Be brief.")
        assert model.requests[0].settings.seed == 7

    @pytest.mark.parametrize("name", ["map", "amap"])
    async def test_pass_every_option_of_a_call_on(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[dict[str, Any]] = []
        agent = Agent(echo())

        def astream(text: str, **options: Any) -> None:
            asked.append(options)

        monkeypatch.setattr(agent, "astream", astream)
        # Each turn has a run_id of its own.
        options = {*RunOptions.__annotations__, "response_format", "deps"} - {"run_id"}
        given = {option: f"the {option}" for option in options}
        getattr(agent, name)(["a"], at_a_time=1, **given)
        assert asked == [given]

    async def test_run_a_session_turn_by_turn(self) -> None:
        sessions = InMemorySessions()
        agent = Agent(echo(), sessions=sessions)
        async with agent.amap(["a", "b"], session="s", at_a_time=1) as batch:
            assert [item.error async for item in batch] == [None, None]
        assert [m.content for m in sessions.load("s").messages] == [
            "a", "you said a", "b", "you said b",
        ]  # fmt: skip
        with pytest.raises(SessionError):
            agent.amap(["a"], session="../s", at_a_time=1)


class TestMap:
    def test_takes_no_asynchronous_inputs(self) -> None:
        inputs: Any = nothing()
        with pytest.raises(ConfigurationError, match=r"use amap\(\)"):
            Agent(echo()).map(inputs)

    def test_gives_objects(self) -> None:
        agent = Agent(Scripted(then=ANSWER), response_format=Ticket, structured_output=FINAL)
        with agent.map(["a"] * 3) as batch:
            assert [item.unwrap().unwrap().topic for item in batch] == ["order"] * 3
        with agent.map(["a"], response_format=None) as batch:
            assert next(batch).unwrap().parsed is None

    async def test_is_refused_inside_a_synchronous_turn(self) -> None:
        @tool
        async def nested() -> str:
            """Nests."""
            Agent(echo()).map(["a"])
            return "never"

        agent = Agent(Scripted([Scripted.call("nested")], "done"), tools=[nested])
        outcome = agent.run("?").messages[2]
        assert outcome.tool_result is None
