"""The options of a call: which there are, and what a call does with them."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from finalturn import Agent, ConfigurationError, ModelSettings, RunOptions, tool
from finalturn._agent.options import NOT_GIVEN, AgentParts, NotGiven
from finalturn.providers import Scripted

pytestmark = pytest.mark.anyio

OWN = {"self", "input", "deps", "response_format"}
"""What overloads name beside the options."""


def taken(fn: Any) -> set[str]:
    """The parameters of a function."""
    return set(inspect.signature(fn).parameters)


@pytest.mark.parametrize("name", ["run", "arun", "stream", "astream"])
def test_a_call_takes_the_options_and_nothing_that_is_not_said(name: str) -> None:
    handler = {"stream_handler"} if "run" in name else set[str]()
    assert taken(getattr(Agent, name)) == {*RunOptions.__annotations__, *OWN, *handler}


def test_an_agent_takes_its_parts() -> None:
    own = {"self", "provider", "response_format", "deps_type"}
    assert taken(vars(Agent)["__init__"]) == {*AgentParts.__annotations__, *own}


def test_none_of_them_must_be_given() -> None:
    assert RunOptions.__required_keys__ == AgentParts.__required_keys__ == frozenset()
    assert isinstance(NOT_GIVEN, NotGiven)


@tool
def plain(order: str) -> str:
    """Looks an order up."""
    return order


class TestOneCall:
    async def test_has_its_own_settings_prompt_tools_and_provider(self) -> None:
        first, second = Scripted("one"), Scripted("two")
        agent = Agent(
            first, tools=[plain], system_prompt="A", settings=ModelSettings(temperature=1.0, max_tokens=5)
        )
        result = await agent.arun(
            "?",
            provider=second,
            settings=ModelSettings(temperature=0.0),
            system_prompt="B",
            tools=[],
        )
        assert result.content == "two"
        request = second.requests[0]
        assert request.settings == ModelSettings(temperature=0.0, max_tokens=5)
        assert (request.system, request.tools) == ("B", ())
        assert (await agent.arun("?")).content == "one"
        assert first.requests[0].system == "A"

    @pytest.mark.parametrize("way", ["run", "arun", "stream", "astream"])
    async def test_may_have_no_tools_and_no_prompt(self, way: str) -> None:
        model = Scripted(then="done")
        agent = Agent(model, tools=[plain], system_prompt="A")
        changes: list[dict[str, Any]] = [{"tools": []}, {"system_prompt": ""}]
        for options in changes:
            turn = getattr(agent, way)("?", **options)
            if way == "arun":
                await turn
            elif way == "stream":
                list(turn)
            elif way == "astream":
                [_ async for _ in turn]
            request = model.requests[-1]
            assert (len(request.tools), request.system) == ((0, "A") if "tools" in options else (1, ""))

    def test_is_checked_before_any_model_call(self) -> None:
        class NoSeed(Scripted):
            unsupported_settings = frozenset({"seed"})

        agent = Agent(Scripted("one"), settings=ModelSettings(seed=1))
        with pytest.raises(ConfigurationError, match="NoSeed cannot take the setting 'seed'"):
            agent.run("?", provider=NoSeed("x"))
