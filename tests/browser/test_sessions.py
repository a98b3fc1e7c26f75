"""A conversation that the server keeps."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI

from finalturn import Agent, StructuredOutputConfig, ToolError, tool
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app, create_router
from finalturn.sessions import InMemorySessions
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio


@tool
def lookup_order(number: str) -> str:
    """Look an order up by its number."""
    raise ToolError("There is no such order.")


async def test_a_conversation_is_there_again_when_the_page_is(chat: Chat) -> None:
    config = StructuredOutputConfig(final_turn_only=True)
    model = Scripted(
        ["Let me look.", Scripted.call("lookup_order", {"number": "A-17"})],
        "I am sorry.",
        '{"topic": "refund"}',
        '{"topic": "thanks"}',
    )
    agent = Agent(
        model,
        tools=[lookup_order],
        response_format={"type": "object"},
        structured_output=config,
        sessions=InMemorySessions(),
    )
    async with serving(create_app(agent)) as address:
        await chat.open(address)
        await chat.say("Where is A-17?")
        await see(chat.field("topic")).to_have_text("refund")
        await see(chat.button("Send")).to_be_visible()
        await chat.say("Thanks")
        await see(chat.field("topic")).to_have_text("thanks")
        await see(chat.button("Send")).to_be_visible()
        before = await chat.log.aria_snapshot()
        await chat.page.reload()
        await see(chat.answers).to_have_count(2)
        assert await chat.log.aria_snapshot() == before
        assert [body["input"] for body in chat.bodies()] == ["Where is A-17?", "Thanks"]
        assert len({body["session"] for body in chat.bodies()}) == 1


async def test_a_new_chat_is_another_session_and_back_leads_to_the_last(chat: Chat) -> None:
    model = Scripted("First", "Second")
    async with serving(create_app(Agent(model, sessions=InMemorySessions()))) as address:
        await chat.open(address)
        await chat.say("One")
        await see(chat.bubbles).to_have_text(["First"])
        await chat.button("New chat").click()
        await see(chat.answers).to_have_count(0)
        await see(chat.text).to_be_focused()
        await chat.say("Two")
        await see(chat.bubbles).to_have_text(["Second"])
        await chat.page.go_back()
        await see(chat.bubbles).to_have_text(["First"])
        first, second = [body["session"] for body in chat.bodies()]
        assert first != second


async def test_a_new_chat_leaves_a_turn_that_goes_on(chat: Chat) -> None:
    model = Scripted(["First", asyncio.Event().wait], "Second")
    async with serving(create_app(Agent(model))) as address:
        await chat.open(address)
        await chat.say("One")
        await see(chat.bubbles).to_have_text(["First"])
        await chat.button("New chat").click()
        await see(chat.button("Stop")).to_be_hidden()
        await chat.say("Two")
        await see(chat.bubbles).to_have_text(["Second"])
        await see(chat.answers).to_have_count(1)
    assert chat.bodies()[1] == {"input": [{"role": "user", "content": "Two"}]}


async def test_a_turn_goes_on_while_the_page_is_loaded_again(chat: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted("Hello", ["Once upon", go_on.wait, " a time"])
    app = create_app(Agent(model, sessions=InMemorySessions()), config=ServeConfig(resume_for=60))
    async with serving(app) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.button("Stop")).to_be_hidden()
        await chat.say("A story")
        await see(chat.bubbles).to_have_text(["Once upon"])
        await chat.page.reload()
        await see(chat.bubbles).to_have_text(["Once upon"])
        go_on.set()
        await see(chat.bubbles).to_have_text(["Once upon a time"])
        await see(chat.button("Stop")).to_be_hidden()
        await chat.page.reload()
        await see(chat.answers).to_have_count(2)


async def test_a_conversation_that_cannot_be_loaded_says_so(chat: Chat) -> None:
    chat.allowed.append("Failed to load resource")
    model = Scripted("Hello")
    async with serving(create_app(Agent(model, sessions=InMemorySessions()))) as address:
        await chat.page.route("**/v1/sessions/*", lambda route: route.fulfill(status=503), times=1)
        await chat.open(f"{address}#mine")
        await see(chat.page.get_by_text("The server answered 503.")).to_be_visible()
        await chat.button("Try again").click()
        await see(chat.page.get_by_text("Write a message to begin.")).to_be_visible()


async def test_the_page_works_under_a_prefix(chat: Chat) -> None:
    app = FastAPI()
    router = create_router(Agent(Scripted("Hello"), sessions=InMemorySessions()), authenticate=None)
    app.include_router(router, prefix="/desk")
    async with serving(app) as address:
        await chat.open(f"{address}desk/")
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text(["Hello"])
        await see(chat.button("Send")).to_be_visible()
        await chat.page.reload()
        await see(chat.bubbles).to_have_text(["Hello"])
