"""The context of a turn is its own, and what it holds goes nowhere."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from starlette.requests import Request

from finalturn import (
    Denial,
    Message,
    ModelRequest,
    RunContext,
    StructuredOutputConfig,
    ToolCall,
    ToolPolicy,
    tool,
)
from finalturn.contract import CONTEXT_IS_ITS_OWN, DEPS_STAY_HERE, ERRORS_ARE_CLEAN
from finalturn.observers import ObservedTurn
from finalturn.providers import Scripted
from finalturn.serve import create_app
from finalturn.sessions import InMemorySessions
from finalturn.testing import ReceivedRequest, record
from tests.contract._gathering import Gathering
from tests.contract._http_app import Exchange
from tests.contract._http_drivers import HTTP_DRIVERS
from tests.contract._logged import logged
from tests.contract._play import Play, agent_of
from tests.contract._proves import proves
from tests.contract._scenes import ANSWER, FINAL, PROSE, SENTINEL, Ticket
from tests.contract._served import Client, run


class Person:
    """The deps of a turn: whoever prints them tells a secret.

    Args:
        name: who it is.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[tuple[str, RunContext[Any]]] = []

    def __repr__(self) -> str:
        return f"Person({SENTINEL})"

    def note(self, what: str, ctx: RunContext[Any]) -> None:
        """A function has got the context."""
        self.asked.append((what, ctx))


@tool
def mine(ctx: RunContext[Person], word: str) -> str:
    """Whose turn it is, in a thread."""
    ctx.deps.note("tool", ctx)
    return f"{word} is {ctx.deps.name}"


@tool
async def also_mine(ctx: RunContext[Person], word: str) -> str:
    """Whose turn it is."""
    ctx.deps.note("async tool", ctx)
    return f"{word} is {ctx.deps.name}"


def is_offered(ctx: RunContext[Person]) -> bool:
    """Whether the tool is offered."""
    ctx.deps.note("available", ctx)
    return True


@tool(available=is_offered)
def offered(ctx: RunContext[Person], word: str) -> str:
    """Whose turn it is, where it is offered."""
    ctx.deps.note("offered tool", ctx)
    return f"{word} is {ctx.deps.name}"


class Gate:
    """Lets every call run."""

    async def check(
        self, ctx: RunContext[Person], call: ToolCall, messages: Sequence[Message], /
    ) -> Denial | None:
        """Note who asks."""
        ctx.deps.note("gate", ctx)
        return None


def approve(ctx: RunContext[Person], call: ToolCall) -> bool:
    """Approve every call."""
    ctx.deps.note("approve", ctx)
    return True


def prompt(ctx: RunContext[Person]) -> str:
    """A system prompt."""
    ctx.deps.note("system_prompt", ctx)
    return "You help."


async def injected(ctx: RunContext[Person]) -> str:
    """What the model is told beside."""
    ctx.deps.note("context", ctx)
    return f"You talk to {ctx.deps.name}."


def wanted(ctx: RunContext[Person], messages: Sequence[Message], text: str) -> bool:
    """Whether an object is wanted."""
    ctx.deps.note("should_finalize", ctx)
    return True


TOOLS = ("mine", "also_mine", "offered")
PARTS: Mapping[str, Any] = {
    "tools": [mine, also_mine, offered],
    "gates": [Gate(), ToolPolicy(needs_approval=["*"], approve=approve)],
    "system_prompt": prompt,
    "context": [injected],
    "config": StructuredOutputConfig(final_turn_only=True, should_finalize=wanted),
    "response_format": Ticket,
    "deps_type": Person,
}
"""An agent whose every function asks for the context."""

EVERY = {
    "tool",
    "async tool",
    "available",
    "offered tool",
    "gate",
    "approve",
    "system_prompt",
    "context",
    "should_finalize",
}


def calls_of(word: str) -> list[Any]:
    """A call of each tool."""
    return [Scripted.call(name, {"word": word}) for name in TOOLS]


@proves(CONTEXT_IS_ITS_OWN)
def test_every_function_gets_the_context_of_its_turn(play: Play) -> None:
    person = Person("ann")
    observed = play(calls_of("it"), PROSE, ANSWER, deps=person, session="s-1", **PARTS)
    assert observed.result.parsed == Ticket(topic=SENTINEL, urgent=True)
    assert {what for what, _ in person.asked} == EVERY
    for what, ctx in person.asked:
        assert ctx.deps is person, what
        assert ctx.session == "s-1", what
        assert ctx.run_id == observed.run_id != "", what
    told = [message.tool_result for message in observed.result.messages if message.tool_result]
    assert told == ["it is ann"] * 3


@proves(CONTEXT_IS_ITS_OWN)
def test_turns_at_the_same_time_have_contexts_of_their_own(play: Play) -> None:
    words = [f"user{index}" for index in range(5)]
    people = {word: Person(word) for word in words}
    gathering = Gathering(play, len(words))

    def answer(request: ModelRequest | ReceivedRequest) -> list[Any]:
        word, has_asked, is_done = _progress(request)
        if is_done:
            return [ANSWER]
        return ["Done."] if has_asked else [gathering.item, *calls_of(word)]

    with play.over_sockets.model(then=answer) as model:
        turns = play.turns(model, words, people, **PARTS)
    for word, observed in zip(words, turns, strict=True):
        told = [message.tool_result for message in observed.result.messages if message.tool_result]
        assert told == [f"{word} is {word}"] * 3
        assert {what for what, _ in people[word].asked} == EVERY
        for what, ctx in people[word].asked:
            assert (ctx.deps, ctx.session) == (people[word], word), what
            assert ctx.run_id == observed.run_id or not play.over_http, what
    runs = [{ctx.run_id for _, ctx in person.asked} for person in people.values()]
    assert len(set[str]().union(*runs)) == len(words) and [len(run) for run in runs] == [1] * len(words)


def _progress(request: ModelRequest | ReceivedRequest) -> tuple[str, bool, bool]:
    """Who asks, whether the tools have run, and whether the prose is there."""
    if isinstance(request, ReceivedRequest):
        said = [(message["role"], str(message.get("content"))) for message in request.json["messages"]]
    else:
        said = [(message.role.value, message.content) for message in request.messages]
    (word,) = {text for role, text in said if role == "user" and text.startswith("user")}
    return word, any(role == "tool" for role, _ in said), ("assistant", "Done.") in said


WELL = '{"topic": "delivery", "urgent": true}'


@proves(DEPS_STAY_HERE)
@pytest.mark.parametrize(
    "then",
    [[PROSE, "{}", WELL], [["Hello", Scripted.CUT]], ["{}"] * 4],
    ids=["ends", "breaks", "invalid"],
)
def test_nothing_of_deps_is_kept_logged_or_sent(play: Play, then: list[Any]) -> None:
    person, watch, store = Person("ann"), Watch(), InMemorySessions()
    parts: dict[str, Any] = {**PARTS, "config": FINAL}
    observed = play.observed()
    with TemporaryDirectory() as folder, logged() as log, play.model(calls_of("it"), *then) as model:
        file = Path(folder) / "turns.jsonl"
        agent = agent_of(model, sessions=store, observers=[watch], **parts)
        with record(agent, file):
            play.drive(agent, "?", observed, session="s", deps=person)
        observed.leaves(model.requests, store.load("s").messages)
        recorded = file.read_text()
    assert person.asked and watch.seen
    shown = [observed.wire, repr(observed.results), repr(observed.error), repr(observed.saved)]
    shown += [*observed.requests, repr(observed.seen), *log, *watch.seen, recorded]
    assert [text for text in shown if SENTINEL in text] == []


class Watch:
    """What observers are told of a turn, as somebody would log it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def observe(self, turn: ObservedTurn, /) -> Watch:
        """Watch it."""
        self.seen.append(repr(turn))
        return self

    def on_event(self, event: object, /) -> None:
        """Write it down."""
        self.seen.append(repr(event))


@tool
def gives_itself_away(ctx: RunContext[Person]) -> str:
    """Fail, with the context in its hands."""
    raise LookupError


@proves(DEPS_STAY_HERE)
def test_a_tool_that_fails_tells_nothing_of_deps(play: Play) -> None:
    with logged() as log:
        observed = play(
            [Scripted.call("gives_itself_away")],
            PROSE,
            tools=[gives_itself_away],
            deps=Person("ann"),
            deps_type=Person,
        )
    shown = [observed.wire, repr(observed.results), repr(observed.saved), *observed.requests, *log]
    assert [text for text in shown if SENTINEL in text] == []


@proves(DEPS_STAY_HERE, ERRORS_ARE_CLEAN, drivers=list(HTTP_DRIVERS), kinds=["streaming"])
@pytest.mark.parametrize("place", ["begins", "ends"])
def test_deps_that_cannot_be_opened_or_closed_tell_nothing(play: Play, place: str) -> None:
    async def broken(request: Request, owner: str | None) -> AsyncGenerator[Person, None]:
        if place == "begins":
            raise LookupError(SENTINEL)
        yield Person("ann")
        raise LookupError(SENTINEL)

    with logged() as log, play.model(PROSE) as model:
        app = create_app(agent_of(model, deps_type=Person, sessions=InMemorySessions()), deps=broken)
        answers: list[Exchange] = []

        async def ask(client: Client) -> None:
            answers.append(await client.ask("Hello"))

        run(play, app, ask)
    (answer,) = answers
    assert answer.status == (500 if place == "begins" else 200)
    assert "LookupError" in "".join(log)
    assert [text for text in (answer.body.decode(), *log) if SENTINEL in text] == []
