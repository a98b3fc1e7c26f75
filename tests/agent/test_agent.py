"""The agent: what it takes, what it refuses, and that its turns share nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from finalturn import (
    Agent,
    AgentStream,
    ConfigurationError,
    ContentPart,
    Message,
    MessageFormatError,
    ProviderError,
    SessionError,
    SyncStream,
)
from finalturn._agent.agent import (
    format_of_agent,
    output_of_agent,
    spec_of,
    with_observer,
    with_sessions,
)
from finalturn.otel import OpenTelemetryObserver
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from finalturn.testing import record
from tests.agent._parts import ANSWER, FINAL, Ticket
from tests.agent._surfaces import on_every_surface

pytestmark = pytest.mark.anyio


class Other(BaseModel):
    number: int


class TestResponseFormat:
    @on_every_surface
    async def test_of_the_call_wins_over_the_agents(self, drive: Any) -> None:
        agent = Agent(Scripted(ANSWER, '{"number": 1}', "5", '{"a": 1}', "text"), response_format=Ticket)
        assert (await drive(agent, "go")).parsed == Ticket(topic="order", urgent=True)
        assert (await drive(agent, "go", response_format=Other)).parsed == Other(number=1)
        assert (await drive(agent, "go", response_format=TypeAdapter(int))).parsed == 5
        assert (await drive(agent, "go", response_format={"type": "object"})).parsed == {"a": 1}
        plain = await drive(agent, "go", response_format=None)
        assert (plain.parsed, plain.structured_status, plain.content) == (None, None, "text")

    @on_every_surface
    @pytest.mark.parametrize(
        ("format", "problem"),
        [
            ([Ticket], r"write the type of a list as list\[Item\]"),
            (Ticket(topic="a", urgent=True), "give the class itself"),
            ('{"type": "object"}', "decode a JSON Schema"),
            ({"type": "nonsense"}, "is not"),
            (7, "give a pydantic model class"),
        ],
    )
    async def test_that_cannot_be_one_is_refused_before_any_call(
        self, drive: Any, format: Any, problem: str
    ) -> None:
        script = Scripted()
        with pytest.raises(ConfigurationError, match=problem):
            await drive(Agent(script), "go", response_format=format)
        assert script.requests == []
        make: Any = Agent
        with pytest.raises(ConfigurationError, match=problem):
            make(script, response_format=format)


class TestInput:
    @on_every_surface
    @pytest.mark.parametrize(
        ("given", "error"),
        [
            ("", ConfigurationError),
            ([], ConfigurationError),
            ([Message.user("hi"), Message.assistant("ho")], ConfigurationError),
            ([{"role": "user", "content": "hi"}], MessageFormatError),
            ({"role": "user", "content": "hi"}, MessageFormatError),
            (b"hi", MessageFormatError),
            (None, MessageFormatError),
            ([Message.user("see", ContentPart.image_url("https://example.org/a.png"))], ConfigurationError),
        ],
    )
    async def test_that_cannot_be_answered_is_refused_before_any_call(
        self, drive: Any, given: Any, error: Any
    ) -> None:
        script = Scripted()
        with pytest.raises(error):
            await drive(Agent(script), given)
        assert script.requests == []

    def test_is_refused_where_the_stream_is_made(self) -> None:
        agent = Agent(Scripted())
        for make in (agent.astream, agent.stream):
            with pytest.raises(ConfigurationError, match="the input is empty"):
                make("")

    @on_every_surface
    async def test_the_callers_history_stays_as_it_was(self, drive: Any) -> None:
        agent = Agent(Scripted("one", ProviderError("down")))
        history = [Message.user("hi")]
        await drive(agent, history)
        assert history == [Message.user("hi")]
        with pytest.raises(ProviderError, match="down"):
            await drive(agent, history)
        assert history == [Message.user("hi")]

    async def test_an_iterator_will_do(self) -> None:
        given: Any = (Message.user(text) for text in ("a", "b"))
        assert [message.content for message in (await Agent(Scripted("c")).arun(given)).messages] == [
            "a",
            "b",
            "c",
        ]


class TestSessions:
    @on_every_surface
    async def test_need_a_store(self, drive: Any) -> None:
        script = Scripted()
        with pytest.raises(ConfigurationError, match=r"give the agent sessions=InMemorySessions\(\)"):
            await drive(Agent(script), "go", session="s")
        assert script.requests == []

    @on_every_surface
    @pytest.mark.parametrize("session", ["", "../x", "a/b", "x\x00", ".", "s" * 129, "é", 7])
    async def test_have_ids_that_are_never_a_path(self, drive: Any, session: Any) -> None:
        script = Scripted()
        with pytest.raises(SessionError, match="the session id is not allowed"):
            await drive(Agent(script, sessions=InMemorySessions()), "go", session=session)
        assert script.requests == []

    @on_every_surface
    async def test_go_on_with_the_next_turn(self, drive: Any) -> None:
        script, store = Scripted("one", "two"), InMemorySessions()
        agent = Agent(script, sessions=store)
        await drive(agent, "first", session="s")
        await drive(agent, "second", session="s")
        saved = store.load("s")
        assert [message.content for message in saved.messages] == ["first", "one", "second", "two"]
        assert [message.content for message in script.requests[1].messages] == ["first", "one", "second"]

    @on_every_surface
    async def test_two_turns_of_one_at_a_time_are_a_conflict_and_nothing_is_lost(self, drive: Any) -> None:
        store = InMemorySessions()

        def meanwhile() -> None:
            store.append("s", [Message.user("other")], 0)

        agent = Agent(Scripted(["mine", meanwhile]), sessions=store)
        with pytest.raises(SessionError, match="another turn was saved") as caught:
            await drive(agent, "go", session="s")
        assert caught.value.result is not None
        assert caught.value.result.content == "mine"
        assert [message.content for message in store.load("s").messages] == ["other"]

    @on_every_surface
    async def test_keep_nothing_of_a_turn_that_fails(self, drive: Any) -> None:
        store = InMemorySessions()
        agent = Agent(Scripted(["half", ProviderError("down")]), sessions=store)
        with pytest.raises(ProviderError):
            await drive(agent, "go", session="s")
        assert store.load("s").version == 0


class TestTypes:
    async def test_each_surface_is_what_it_says(self) -> None:
        agent = Agent(Scripted(then="a"))
        assert isinstance(agent.astream("go"), AgentStream)
        assert isinstance(agent.stream("go"), SyncStream)
        coroutine = agent.arun("go")
        assert asyncio.iscoroutine(coroutine)
        assert (await coroutine).content == "a"

    def test_a_handler_that_prints_and_a_result_are_two_things(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Nothing is printed unless it is asked for."""
        agent = Agent(Scripted("a", "b"), structured_output=FINAL)
        agent.run("go")
        assert capsys.readouterr().out == ""
        agent.run("go", stream_handler=print)
        assert capsys.readouterr().out == "b\n"


def test_the_parts_of_an_agent_can_be_looked_at() -> None:
    agent = Agent(Scripted(), response_format=Ticket, max_iterations=3)
    assert spec_of(agent).max_iterations == 3
    output = output_of_agent(agent)
    assert output is not None and output.name == "Ticket"
    assert output_of_agent(Agent(Scripted())) is None
    assert format_of_agent(agent) is Ticket and format_of_agent(Agent(Scripted())) is None


def test_a_copy_with_another_store_is_recorded_with_the_agent() -> None:
    agent = Agent(Scripted("Hi.", "Hello."))
    store = InMemorySessions()
    other = with_sessions(agent, store)
    assert spec_of(agent).sessions is None and spec_of(other).sessions is store
    with record(agent) as recording:
        other.run("Hello", session="s")
    assert store.load("s").version == 1
    assert len(recording.traces) == 1


def test_a_copy_with_another_observer_leaves_the_agent_as_it_was() -> None:
    agent = Agent(Scripted("Hi."))
    observer = OpenTelemetryObserver()
    other = with_observer(agent, observer)
    assert spec_of(agent).every_observer() == [] and spec_of(other).every_observer() == [observer]
