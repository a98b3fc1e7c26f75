"""A turn is stopped, or its connection is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from finalturn import Agent, Message
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.browser._chat import Chat
from tests.browser._see import see, until
from tests.browser._serve import line_to, serving

pytestmark = pytest.mark.anyio

CUT = "Failed to load resource"
RESUME = ServeConfig(resume_for=60)


class Story:
    """A model that tells a story, and stops in the middle until it may go on."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.model = Scripted(
            [*Scripted.pieces("Once upon ", 2), self.go_on.wait, "a time", "."], then="The end"
        )


@pytest.fixture
def story() -> Story:
    return Story()


@pytest.mark.parametrize("config", [ServeConfig(), RESUME], ids=["closed", "told"])
@pytest.mark.parametrize("how", ["button", "key"])
async def test_a_turn_can_be_stopped(chat: Chat, story: Story, config: ServeConfig, how: str) -> None:
    async with serving(create_app(Agent(story.model), config=config)) as address:
        await chat.open(address)
        await chat.say("A story")
        await see(chat.bubbles).to_have_text("Once upon ")
        if how == "button":
            await chat.button("Stop").click()
        else:
            await chat.page.keyboard.press("Escape")
        await see(chat.answer.get_by_text("Stopped. This turn is not kept.")).to_be_visible()
        await see(chat.bubbles).to_have_text("Once upon ")
        await see(chat.button("Stop")).to_be_hidden()
        await see(chat.text).to_be_focused()
        await chat.button("Try again").click()
        await see(chat.bubbles).to_have_text(["The end"])
    assert story.model.abandoned == 1
    # It was not kept: the model did not hear of it.
    assert [message.content for message in story.model.requests[1].messages] == ["A story"]


async def test_a_lost_connection_repeats_and_misses_nothing(chat: Chat, story: Story) -> None:
    chat.allowed.append(CUT)
    app = create_app(Agent(story.model, sessions=InMemorySessions()), config=RESUME)
    async with serving(app) as far, line_to(far) as (line, address):
        await chat.open(address)
        await chat.say("A story")
        await see(chat.bubbles).to_have_text("Once upon ")
        line.cut()
        await see(chat.status).to_have_text("The connection was lost. Connecting again…")
        story.go_on.set()
        await see(chat.bubbles).to_have_text(["Once upon a time."])
        await see(chat.status).to_have_text("")
        await chat.say("More")
        await see(chat.bubbles).to_have_text(["The end"])


async def test_it_says_that_it_connects_again(chat: Chat, story: Story) -> None:
    chat.allowed.append(CUT)
    async with serving(create_app(Agent(story.model), config=RESUME)) as far, line_to(far) as (line, address):
        await chat.open(address)
        await chat.say("A story")
        await see(chat.bubbles).to_have_text("Once upon ")
        line.down = True
        line.cut()
        await see(chat.status).to_have_text("The connection was lost. Connecting again…")
        await chat.shot("lost")
        line.down = False
        story.go_on.set()
        await see(chat.bubbles).to_have_text(["Once upon a time."])


async def test_a_turn_whose_connection_is_lost_for_good_can_be_asked_again(chat: Chat, story: Story) -> None:
    chat.allowed.append(CUT)
    async with serving(create_app(Agent(story.model))) as far, line_to(far) as (line, address):
        await chat.open(address)
        await chat.say("A story")
        await see(chat.bubbles).to_have_text("Once upon ")
        line.cut()
        await see(chat.answer.get_by_role("alert")).to_contain_text("The connection was lost.")
        await chat.button("Try again").click()
        await see(chat.bubbles).to_have_text(["The end"])


@pytest.mark.parametrize("saved", [True, False])
async def test_a_turn_that_is_not_kept_any_more_is_looked_for_in_the_session(
    chat: Chat, story: Story, saved: bool
) -> None:
    chat.allowed.append(CUT)
    store = TellingSessions()
    agent = Agent(story.model, sessions=store)
    before, after = create_app(agent, config=RESUME), create_app(agent, config=RESUME)
    async with serving(before) as old, serving(after) as new, line_to(old) as (line, address):
        await chat.open(address)
        await chat.say("A story")
        await see(chat.bubbles).to_have_text("Once upon ")
        line.down = True
        line.cut()
        await see(chat.status).to_have_text("The connection was lost. Connecting again…")
        if saved:
            story.go_on.set()
            await until(store.told)
        # The server was started anew: it knows the session, and not the run.
        line.lead_to(new)
        line.down = False
        if saved:
            await see(chat.answer.get_by_text("This is the answer as it was saved.")).to_be_visible()
            await see(chat.bubbles).to_have_text(["Once upon a time."])
        else:
            alert = chat.answer.get_by_role("alert")
            await see(alert).to_contain_text("the rest of the answer is not kept any more")
            await see(chat.bubbles).to_have_text(["Once upon "])
            await chat.button("Try again").click()
            await see(chat.bubbles).to_have_text(["The end"])
        story.go_on.set()


class TellingSessions(InMemorySessions):
    """Tells when a turn was saved."""

    def __init__(self) -> None:
        super().__init__()
        self.told = asyncio.Event()

    def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        super().append(session, messages, version)
        self.told.set()
