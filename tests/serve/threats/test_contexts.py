"""What a turn is run with, which is nobody else's business."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, HTTPException
from starlette.requests import Request

from finalturn import Agent, ModelRequest, RunContext, tool
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app, create_router
from finalturn.sessions import InMemorySessions
from finalturn.testing import record
from tests.otel._tracing import Spans
from tests.serve._agents import SECRET, Held
from tests.serve._asgi import Client
from tests.serve.threats._server import ALICE, KEYS, SURFACES, Surface, problem

pytestmark = pytest.mark.anyio
every_surface = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.path)


class User:
    """Who is asking. Whoever prints or stores it tells a secret."""

    def __init__(self, name: str, secret: str = SECRET) -> None:
        self.name = name
        self.secret = secret

    def __repr__(self) -> str:
        return self.secret


OWNERS = [f"user{number}" for number in range(12)]
CHANNELS = ("in process", "/v1/chat", "/v1/chat/stream", "/ag-ui", "/ai-sdk", "resumed")


class Storm:
    """An agent whose tools check that each context is that of its own turn.

    Attributes:
        runs: the ids of the runs in which each channel of each owner has run tools.
        wrong: what did not fit.
    """

    def __init__(self) -> None:
        self.runs: dict[str, set[str]] = {}
        self.wrong: list[str] = []

        @tool
        async def mine(ctx: RunContext[User], word: str) -> str:
            """Whose turn it is, on the event loop."""
            await asyncio.sleep(0)
            return self.check(ctx, word)

        @tool
        def mine_too(ctx: RunContext[User], word: str) -> str:
            """Whose turn it is, in a thread."""
            return self.check(ctx, word)

        def prompt(ctx: RunContext[User]) -> str:
            return f"You talk to {ctx.deps.name}."

        self.agent = Agent(
            Scripted(then=_answer),
            tools=[mine, mine_too],
            system_prompt=prompt,
            deps_type=User,
            sessions=InMemorySessions(),
        )

    def check(self, ctx: RunContext[User], word: str) -> str:
        """Note what is not of the turn in which somebody said the word."""
        owner, _, session = word.partition(" on ")
        found = (ctx.deps.name, ctx.session, ctx.messages[0].content)
        if found != (owner, f"{owner}:{session}", word):
            self.wrong.append(f"{word}: {found}")
        self.runs.setdefault(word, set()).add(ctx.run_id)
        return f"of {ctx.deps.name}"


def _answer(request: ModelRequest) -> list[Any]:
    """What the model says: it calls both tools with what the user has said."""
    word = request.messages[0].content
    if request.system != f"You talk to {word.partition(' on ')[0]}.":
        return ["The prompt is another's."]
    if request.messages[-1].tool_name:
        return [f"Done: {word}."]
    return [Scripted.call(name, {"word": word}) for name in ("mine", "mine_too")]


async def test_in_a_storm_of_owners_each_tool_has_the_context_of_its_own_turn() -> None:
    storm = Storm()
    opened: list[str] = []

    async def deps(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
        opened.append(owner or "")
        await asyncio.sleep(0)
        yield User(owner or "")
        opened.remove(owner or "")

    app = FastAPI()
    router = create_router(
        storm.agent,
        authenticate=lambda request: request.headers["x-user"],
        deps=deps,
        config=ServeConfig(resume_for=60.0),
    )
    app.include_router(router)
    told: dict[str, str] = {}

    async def turn(owner: str, channel: str) -> None:
        session = channel.strip("/").replace("/", "-").replace(" ", "-")
        word = f"{owner} on {session}"
        if channel == "in process":
            result = await storm.agent.arun(
                word, deps=User(owner), session=f"{owner}:{session}", run_id=f"run of {word}"
            )
            told[word] = f"run of {word}"
            assert result.text == f"Done: {word}."
            return
        path = "/v1/chat/stream" if channel == "resumed" else channel
        body = {one.path: one for one in SURFACES}[path].body(word, session)
        client = Client(app, {"x-user": owner})
        exchange = client.open("POST", path, json=body)
        if channel == "resumed":
            await exchange.until(b'"type":"run"')
            await exchange.leave()
            run_id = exchange.answer.header("x-run-id")
            exchange = client.open("GET", f"{path}/{run_id}?session={session}")
        answer = await exchange.read()
        told[word] = answer.header("x-run-id") or ""
        assert f"Done: {word}.".encode() in answer.body, answer.body
        assert answer.body.count(f"of {owner}".encode()) >= (2 if path != "/v1/chat" else 0)

    async with asyncio.TaskGroup() as group:
        for owner in OWNERS:
            for channel in CHANNELS:
                group.create_task(turn(owner, channel))
    assert storm.wrong == [] and opened == []
    assert storm.runs == {word: {run_id} for word, run_id in told.items()}
    assert len(set(told.values())) == len(OWNERS) * len(CHANNELS)


@every_surface
async def test_nothing_of_deps_is_in_answers_stores_logs_recordings_and_spans(
    surface: Surface, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    spans = Spans(monkeypatch)
    store = InMemorySessions()

    @tool
    def whoami(ctx: RunContext[User]) -> str:
        """Who is asking."""
        return ctx.deps.name

    @tool
    def fails(ctx: RunContext[User]) -> str:
        """Fail, with the context in its hands."""
        raise LookupError(ctx.deps.name)

    calls = [Scripted.call("whoami", {}), Scripted.call("fails", {})]
    agent = Agent(
        Scripted(calls, "Done.", [RuntimeError("broken")]),
        tools=[whoami, fails],
        deps_type=User,
    )

    def deps(request: Request, owner: str | None) -> User:
        if request.headers.get("x-broken"):
            raise HTTPException(403, "No.") from LookupError(SECRET)
        return User(owner or "")

    app = create_app(agent, keys=KEYS, deps=deps, sessions=store)
    client = Client(app, ALICE)
    file = tmp_path / "turns.jsonl"
    with record(agent, file):
        answers = [
            await client.send("POST", surface.path, json=surface.body(), headers=headers)
            for headers in ({}, {}, {"x-broken": "1"})
        ]
    assert [answer.status for answer in answers[::2]] == [200, 403]
    assert b"alice" in answers[0].body
    assert spans.all and caplog.records and file.stat().st_size
    history = store.load("alice:s1")
    assert history.version == 1
    written = [repr(answer) for answer in answers]
    written += [repr(history), file.read_text(), caplog.text, *(repr(vars(one)) for one in caplog.records)]
    written += [span.to_json() for span in spans.all]
    assert [text for text in written if SECRET in text] == []


@every_surface
async def test_deps_that_cannot_be_made_are_nobody_elses(
    surface: Surface, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[str] = []

    @tool
    def whoami(ctx: RunContext[User]) -> str:
        """Who is asking."""
        seen.append(ctx.deps.name)
        return ctx.deps.name

    agent = Agent(
        Scripted(then=[Scripted.call("whoami", {})]), tools=[whoami], deps_type=User, max_iterations=1
    )
    users = {"alice": User("alice")}

    def deps(request: Request, owner: str | None) -> User:
        return users.pop(owner or "")

    client = Client(create_app(agent, keys=KEYS, deps=deps, sessions=InMemorySessions()), ALICE)
    assert (await client.send("POST", surface.path, json=surface.body())).status == 200
    refused = await client.send("POST", surface.path, json=surface.body())
    assert problem(refused) == (500, "internal_error")
    assert seen == ["alice"] and b"alice" not in refused.body
    assert "deps raised KeyError, in " in caplog.text and "'alice'" not in caplog.text


async def test_a_turn_that_goes_on_without_its_client_keeps_its_own_deps() -> None:
    seen: list[str] = []

    @tool
    def whoami(ctx: RunContext[User]) -> str:
        """Who is asking."""
        seen.append(ctx.deps.name)
        return "somebody"

    held = Held(Scripted.call("whoami", {}))
    agent = Agent(
        Scripted(held.items, then=[Scripted.call("whoami", {})]),
        tools=[whoami],
        deps_type=User,
        max_iterations=1,
        sessions=InMemorySessions(),
    )
    app = FastAPI()
    router = create_router(
        agent,
        authenticate=lambda request: request.headers["x-user"],
        deps=lambda request, owner: User(owner or ""),
        config=ServeConfig(resume_for=60.0),
    )
    app.include_router(router)
    ann, bob = Client(app, {"x-user": "ann"}), Client(app, {"x-user": "bob"})
    stream = ann.open("POST", "/v1/chat/stream", json={"input": "Hello"})
    await stream.until(b"Wait")
    await stream.leave()
    assert (await bob.send("POST", "/v1/chat", json={"input": "Hello"})).status == 200
    held.go_on.set()
    resumed = await ann.send("GET", f"/v1/chat/stream/{stream.answer.header('x-run-id')}")
    assert resumed.records[-1]["type"] == "result"
    assert seen == ["bob", "ann"]
