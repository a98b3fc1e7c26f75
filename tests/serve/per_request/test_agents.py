from __future__ import annotations

import threading
from typing import Any

import pytest
from pydantic import BaseModel
from starlette.requests import Request

from finalturn import Agent, Capabilities, RunContext, tool
from finalturn.providers import Scripted
from finalturn.serve import create_app
from finalturn.sessions import InMemorySessions
from tests.serve._agents import plain
from tests.serve._asgi import Client
from tests.serve.per_request._parts import (
    Guest,
    User,
    always,
    ask,
    bodies,
    of_user,
    served,
    user,
)

pytestmark = pytest.mark.anyio


class Ticket(BaseModel):
    """What a turn ends in."""

    topic: str


def tenant(name: str) -> Agent[Any, User]:
    """The agent of a tenant: its own model, prompt and tools."""

    @tool(name=f"of_{name}")
    def own(ctx: RunContext[User]) -> str:
        """Whose turn it is."""
        return f"{name} serves {ctx.deps.name}"

    model = Scripted(Scripted.call(f"of_{name}", {}), f"I am of {name}.")
    return Agent(model, tools=[own], deps_type=User)


@pytest.mark.parametrize("path", list(bodies()))
async def test_each_tenant_has_its_own_agent(path: str) -> None:
    tenants: dict[str, Agent[Any, User]] = {}

    def sync(request: Request, owner: str | None) -> Agent[Any, User]:
        assert threading.current_thread() is not threading.main_thread()
        return tenants[owner or ""]

    async def later(request: Request, owner: str | None) -> Agent[Any, User]:
        return tenants[owner or ""]

    for choose in (sync, later):
        tenants |= {"ann": tenant("acme"), "bob": tenant("bolt")}
        app = served(of_user(), user, agent_for=choose)
        ann, bob = await ask(app, "ann", path), await ask(app, "bob", path)
        assert b"acme serves ann" in ann.body and b"I am of acme." in ann.body
        assert b"bolt serves bob" in bob.body and b"I am of bolt." in bob.body
        assert b"bolt" not in ann.body and b"acme" not in bob.body


async def test_the_served_store_holds_for_all_agents() -> None:
    store = InMemorySessions()
    own = InMemorySessions()
    agent = Agent(Scripted("Hello.", "Again."), sessions=own)
    app = create_app(plain(), agent_for=always(agent), sessions=store)
    assert (await Client(app).send("POST", "/v1/chat", json={"input": "x", "session": "s"})).status == 200
    assert (await Client(app).send("GET", "/v1/sessions/s")).json["version"] == 1
    assert store.load("s").version == 1 and own.load("s").version == 0


async def test_images_are_taken_where_the_agent_of_the_request_takes_them() -> None:
    seeing = Agent(Scripted("A cat.", "A cat.", capabilities=Capabilities(images=True)))
    blind = plain()
    image = {"kind": "image", "url": "https://example.com/cat.png"}
    body = {"input": [{"role": "user", "content": "?", "content_parts": [image]}]}
    for default, chosen, status in ((blind, seeing, 200), (seeing, blind, 422)):
        app = create_app(default, agent_for=always(chosen))
        assert (await Client(app).send("POST", "/v1/chat", json=body)).status == status


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ("acme", "agent_for must give an Agent, not a str"),
        (Agent(Scripted("x"), response_format=Ticket), "another response_format than the one that is served"),
        (Agent(Scripted("x")), "with the deps_type None, and turns here are run with User"),
        (Agent(Scripted("x"), deps_type=Guest), "with the deps_type Guest, and turns here are run with User"),
    ],
)
async def test_an_agent_that_does_not_fit_is_500_and_the_log_says_why(
    chosen: Any, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = served(of_user(), user, agent_for=always(chosen))
    answer = await ask(app)
    assert (answer.status, answer.json["code"]) == (500, "internal_error")
    assert says in vars(caplog.records[-1])["reason"]


async def test_agents_that_fit() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"topic": {"type": "string"}}}
    formats: list[tuple[Any, Any]] = [(Ticket, Ticket), (list[Ticket], list[Ticket]), (schema, {**schema})]
    for one, other in formats:
        chosen = Agent(Scripted(then="[]"), response_format=other)
        app = create_app(Agent(Scripted(), response_format=one), agent_for=always(chosen))
        assert (await Client(app).send("POST", "/v1/chat", json={"input": "x"})).status == 200


@pytest.mark.parametrize("needs", [object, User])
async def test_an_agent_that_can_do_with_less_fits(needs: Any) -> None:
    guests: Any = Agent(Scripted(), deps_type=Guest)
    app = served(
        guests,
        always(Guest("ann")),
        agent_for=always(Agent(Scripted("x", "x"), deps_type=needs)),
    )
    assert (await ask(app)).status == 200
