from __future__ import annotations

from pydantic import BaseModel

from finalturn import Agent
from finalturn._agent.access import format_of_agent, output_of_agent, spec_of, with_sessions
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from finalturn.testing import record


class Ticket(BaseModel):
    topic: str


def test_the_parts_of_an_agent() -> None:
    agent = Agent(Scripted(), response_format=Ticket, max_iterations=3)
    assert spec_of(agent).max_iterations == 3
    output = output_of_agent(agent)
    assert output is not None and output.name == "Ticket"
    assert output_of_agent(Agent(Scripted())) is None
    assert format_of_agent(agent) is Ticket and format_of_agent(Agent(Scripted())) is None


def test_another_store() -> None:
    agent = Agent(Scripted("Hi.", "Hello."))
    store = InMemorySessions()
    other = with_sessions(agent, store)
    assert spec_of(agent).sessions is None and spec_of(other).sessions is store
    with record(agent) as recording:
        other.run("Hello", session="s")
    assert store.load("s").version == 1
    assert len(recording.traces) == 1
