"""What an agent is made of."""

from __future__ import annotations

import logging
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from pydantic import TypeAdapter

from finalturn import Agent, Capabilities, ConfigurationError, ModelSettings, StructuredOutputConfig, tool
from finalturn.providers import Scripted
from tests.agent._parts import Ticket, turn_of

SINGLE = StructuredOutputConfig(final_turn_only=True, single_pass=True)
ALONE = Capabilities(native_schema=True)
COMBINED = Capabilities(native_schema=True, native_schema_with_tools=True)


@tool
def look(order: str) -> str:
    """Looks."""
    return order


def test_the_parts_are_kept_as_they_were_given() -> None:
    provider, settings = Scripted(), ModelSettings(temperature=0.0)
    spec = turn_of(provider, tools=[look], context=["a"], settings=settings, max_iterations=3).agent
    assert spec.provider is provider
    assert spec.tools == {"look": look}
    assert spec.context == ("a",)
    assert (spec.settings, spec.max_iterations, spec.capabilities) == (settings, 3, Capabilities())
    changed: Any = spec
    with pytest.raises(FrozenInstanceError):
        changed.max_iterations = 1


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"max_iterations": 0}, "max_iterations must be 1 or more"),
        ({"max_iterations": "3"}, "max_iterations must be of type int"),
        ({"structured_output": {"final_turn_only": True}}, "structured_output must be of type Structured"),
        ({"settings": {"temperature": 1}}, "settings must be of type ModelSettings"),
        ({"system_prompt": None}, "system_prompt must be a str"),
        ({"sessions": {}}, "sessions must be"),
        ({"context": "text"}, "context must be"),
        ({"tools": [print]}, "decorate it with @tool"),
        ({"gates": [print]}, "must be an object with a method check"),
        ({"observers": [print]}, "must be an object with a plain method observe"),
        ({"provider": None}, "the provider must be"),
    ],
)
def test_what_cannot_work_is_refused_at_construction(parts: dict[str, Any], problem: str) -> None:
    make: Any = Agent
    with pytest.raises(ConfigurationError, match=problem):
        make(**{"provider": Scripted(), **parts})


@pytest.mark.parametrize(
    ("capabilities", "tools", "format", "missing"),
    [
        (Capabilities(), [], Ticket, "native_schema"),
        (Capabilities(), [look], Ticket, "native_schema and native_schema_with_tools"),
        (ALONE, [look], Ticket, "native_schema_with_tools"),
        (COMBINED, [look], TypeAdapter(list[int]), None),
        (ALONE, [], None, None),
        (ALONE, [], Ticket, None),
        (COMBINED, [look], Ticket, None),
        (Capabilities(native_schema=True, native_schema_any_root=True), [], TypeAdapter(int), None),
    ],
)
def test_an_agent_warns_once_that_single_pass_falls_back(
    capabilities: Capabilities, tools: Any, format: Any, missing: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider = Scripted(then="{}", capabilities=capabilities)
    agent: Agent[Any] = Agent(provider, tools=tools, structured_output=SINGLE, response_format=format)
    agent.run("one", response_format=None)
    agent.run("two", response_format=None)
    found = [record.getMessage() for record in caplog.records if record.name == "finalturn"]
    assert found == (
        []
        if missing is None
        else [f"single_pass falls back to a synthesis call: the provider lacks {missing}"]
    )


def test_without_single_pass_there_is_nothing_to_warn_of(caplog: pytest.LogCaptureFixture) -> None:
    Agent(Scripted(), structured_output=StructuredOutputConfig(final_turn_only=True), response_format=Ticket)
    assert caplog.records == []
