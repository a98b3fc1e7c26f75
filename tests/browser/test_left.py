"""A turn is left, or stopped at its end: what the page says of it is so."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.browser._chat import Chat
from tests.browser._see import see, until
from tests.browser._serve import serving
from tests.serve._agents import SlowSessions

pytestmark = pytest.mark.anyio

RESUME = ServeConfig(resume_for=60)
CONFIGS = pytest.mark.parametrize("config", [ServeConfig(), RESUME], ids=["closed", "kept"])
BROKEN_OFF = "The page was left before the answer was whole. This turn is not kept."
SAVED = "This turn was saved before it could be stopped."
NOT_KEPT = "This turn is not kept."


class Story:
    """A model that stops in the middle of its second answer until it may go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.model = Scripted("Hello", ["Once upon", self.go_on.wait, " a time"], then="The end")


async def tell(chat: Chat, address: str) -> None:
    """Come to the middle of the second answer."""
    await chat.open(address)
    await chat.say("Hi")
    await see(chat.bubbles).to_have_text(["Hello"])
    await see(chat.button("Send")).to_be_visible()
    await chat.say("A story")
    await see(chat.bubbles).to_have_text(["Once upon"])


async def leave_and_return(chat: Chat, how: str) -> None:
    """Load the page again, or begin a new chat and go back."""
    if how == "reload":
        await chat.page.reload()
    else:
        await chat.button("New chat").click()
        await see(chat.answers).to_have_count(0)
        await chat.page.go_back()


@pytest.mark.parametrize("keeps", [True, False], ids=["session", "alone"])
@pytest.mark.parametrize("how", ["reload", "new chat"])
async def test_what_was_broken_off_comes_back_and_is_marked(chat: Chat, keeps: bool, how: str) -> None:
    story = Story()
    agent = Agent(story.model, sessions=InMemorySessions() if keeps else None)
    async with serving(create_app(agent)) as address:
        if keeps:
            # Asked about the end of the turn, which is over by then.
            chat.allowed.append("Failed to load resource")
        await tell(chat, address)
        await leave_and_return(chat, how)
        await see(chat.answers).to_have_count(2)
        await see(chat.log.locator(".question .bubble")).to_have_text(["Hi", "A story"])
        await see(chat.bubbles).to_have_text(["Once upon"])
        await see(chat.answer.get_by_text(BROKEN_OFF)).to_be_visible()
        await chat.shot(f"broken-off-{how.replace(' ', '-')}-{keeps}")
        await chat.button("Try again").click()
        await see(chat.bubbles).to_have_text(["The end"])
        await see(chat.log.locator(".question .bubble")).to_have_text(["Hi", "A story"])
        await see(chat.button("Send")).to_be_visible()
        await chat.page.reload()
        await see(chat.log.locator(".question .bubble")).to_have_text(["Hi", "A story"])
        await see(chat.bubbles).to_have_text(["The end"])
    assert story.model.abandoned == 1
    # What was broken off was told to nobody.
    told = [message.content for message in story.model.requests[-1].messages]
    assert told == ["Hi", "Hello", "A story"]


@pytest.mark.parametrize("how", ["reload", "new chat"])
@pytest.mark.parametrize("keeps", [True, False], ids=["session", "alone"])
async def test_a_turn_that_outlives_its_page_is_read_on(chat: Chat, how: str, keeps: bool) -> None:
    story = Story()
    agent = Agent(story.model, sessions=InMemorySessions() if keeps else None)
    async with serving(create_app(agent, config=RESUME)) as address:
        await tell(chat, address)
        await leave_and_return(chat, how)
        await see(chat.bubbles).to_have_text(["Once upon"])
        story.go_on.set()
        await see(chat.bubbles).to_have_text(["Once upon a time"])
        await see(chat.log.locator(".question .bubble")).to_have_text(["Hi", "A story"])
        await see(chat.log.locator(".notice")).to_have_count(0)
    assert story.model.abandoned == 0


async def test_two_conversations_that_were_left_both_come_back(chat: Chat) -> None:
    chat.allowed.append("Failed to load resource")
    wait = asyncio.Event().wait
    model = Scripted(["First", wait], ["Second", wait])
    async with serving(create_app(Agent(model, sessions=InMemorySessions()))) as address:
        await chat.open(address)
        for text, shown in (("One", "First"), ("Two", "Second")):
            await chat.say(text)
            await see(chat.bubbles).to_have_text([shown])
            await chat.button("New chat").click()
            await see(chat.answers).to_have_count(0)
        for shown in ("Second", "First"):
            await chat.page.go_back()
            await see(chat.bubbles).to_have_text([shown])
            await see(chat.answer.get_by_text(BROKEN_OFF)).to_be_visible()


@CONFIGS
@pytest.mark.parametrize("how", ["stop", "reload"])
async def test_a_turn_that_is_being_saved_is_said_to_be_saved(
    chat: Chat, config: ServeConfig, how: str
) -> None:
    chat.allowed.append("Failed to load resource")
    store = SlowSessions()
    model = Scripted("Hello", then="Again")
    async with serving(create_app(Agent(model, sessions=store), config=config)) as address:
        await chat.open(address)
        await chat.say("Hi")
        await until(store.begun)
        if how == "stop":
            await chat.button("Stop").click()
        else:
            await chat.page.reload()
        store.go_on.set()
        await see(chat.bubbles).to_have_text(["Hello"])
        await see(chat.button("Send")).to_be_visible()
        await see(chat.log.get_by_text(NOT_KEPT)).to_have_count(0)
        await see(chat.button("Try again")).to_have_count(0)
        await see(chat.answer.get_by_text(SAVED)).to_have_count(1 if how == "stop" else 0)
        await see(chat.answers).to_have_count(1)
    assert len(model.requests) == 1


@CONFIGS
async def test_a_message_right_after_a_stop_is_taken(chat: Chat, config: ServeConfig) -> None:
    wait = asyncio.Event().wait
    count = 6
    stories: list[list[Any]] = [[f"{number}", wait] for number in range(count)]
    model = Scripted(*stories, then="The end")
    async with serving(create_app(Agent(model, sessions=InMemorySessions()), config=config)) as address:
        await chat.open(address)
        for number in range(count):
            await chat.say("A story")
            await see(chat.bubbles).to_have_text([f"{number}"])
            await chat.button("Stop").click()
            await see(chat.button("Send")).to_be_visible()
        await chat.say("And now")
        await see(chat.bubbles).to_have_text(["The end"])


async def test_a_tab_that_was_duplicated_reads_the_same_turn(chat: Chat) -> None:
    story = Story()
    app = create_app(Agent(story.model, sessions=InMemorySessions()), config=RESUME)
    async with serving(app) as address:
        await tell(chat, address)
        kept: str = await chat.page.evaluate("JSON.stringify(Object.entries(sessionStorage))")
        other = Chat(await chat.page.context.new_page())
        await other.page.add_init_script(
            f"for (const [name, value] of {kept}) sessionStorage.setItem(name, value);"
        )
        await other.open(chat.page.url)
        await see(other.bubbles).to_have_text(["Once upon"])
        story.go_on.set()
        for one in (chat, other):
            await see(one.bubbles).to_have_text(["Once upon a time"])
            await see(one.button("Send")).to_be_visible()
            await see(one.log.locator(".notice")).to_have_count(0)
        other.check()
    asked = [one for tab in (chat, other) for one in tab.sent if "/v1/chat/stream" in one.url]
    assert [one.method for one in asked] == ["POST", "POST", "GET"]


async def test_a_script_that_is_over_says_so(chat: Chat) -> None:
    async with serving(create_app(Agent(Scripted("Hello")))) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text(["Hello"])
        await see(chat.button("Send")).to_be_visible()
        await chat.say("Again")
        await see(chat.answer.get_by_role("alert")).to_have_text(
            "The script that stands in for a model is over. Start the server again to play it once more."
        )
        await see(chat.button("Try again")).to_have_count(0)
