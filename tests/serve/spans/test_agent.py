"""An agent with spans does what it did."""

from __future__ import annotations

import pytest

from finalturn import Agent, tool
from finalturn._agent.access import spec_of
from finalturn._serve.spans.agent import traced_agent
from finalturn.providers import Scripted
from finalturn.testing import record

pytestmark = pytest.mark.anyio


class Shop:
    """Tools that are methods."""

    name = "corner"

    @tool(timeout=7, terminal=True)
    def where(self, street: str, number: int = 1) -> str:
        """Say where the shop is."""
        return f"{self.name}, {street} {number}"


def desk() -> Agent[None]:
    return Agent(Scripted(Scripted.call("where", {"street": "High"})), tools=[Shop().where])


async def test_tools_get_what_they_got_before() -> None:
    one, other = await desk().arun("hi"), await traced_agent(desk()).arun("hi")
    assert other.messages == one.messages
    assert other.messages[-1].tool_result == "corner, High 1"


def test_tools_are_declared_as_before() -> None:
    agent = desk()
    (one,), (other,) = spec_of(agent).tools.values(), spec_of(traced_agent(agent)).tools.values()
    assert other is not one
    assert (other.spec, other.timeout, other.terminal) == (one.spec, 7, True)
    assert one("Low", 2) == "corner, Low 2"


async def test_who_records_the_agent_sees_its_turns() -> None:
    agent = desk()
    with record(agent) as recording:
        await traced_agent(agent).arun("hi")
    assert len(recording.traces) == 1
