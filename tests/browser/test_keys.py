"""A server that wants a key."""

from __future__ import annotations

import pytest

from finalturn import Agent
from finalturn._serve.access.keys import new_key
from finalturn.providers import Scripted
from finalturn.serve import ApiKeys, create_app
from finalturn.sessions import InMemorySessions
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio

KEY, LINE = new_key("alice")
STORED = "sessionStorage.getItem('finalturn-key')"


@pytest.fixture
def keys(chat: Chat) -> ApiKeys:
    chat.allowed.append("Failed to load resource: the server responded with a status of 401")
    return ApiKeys([LINE.split()])


async def test_the_page_asks_for_a_key_once(chat: Chat, keys: ApiKeys) -> None:
    model = Scripted("Hello", "Again")
    agent = Agent(model, sessions=InMemorySessions())
    async with serving(create_app(agent, keys=keys)) as address:
        await chat.open(address)
        door = chat.page.get_by_role("dialog", name="A key is needed")
        field = door.get_by_label("Key of this server")
        await see(door).to_be_visible()
        await see(field).to_be_focused()
        await see(field).to_have_attribute("type", "password")
        await chat.shot("key")
        await field.fill(f" {KEY} ")
        await field.press("Enter")
        await see(door).to_be_hidden()
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text(["Hello"])
        await see(chat.button("Send")).to_be_visible()
        # It is kept for this tab, and nowhere else.
        assert await chat.page.evaluate(STORED) == KEY
        assert await chat.page.evaluate("localStorage.length + document.cookie.length") == 0
        assert KEY not in chat.page.url
        await chat.page.reload()
        await see(chat.bubbles).to_have_text(["Hello"])
        await see(door).to_be_hidden()


async def test_a_wrong_key_is_asked_for_again_and_nothing_is_lost(chat: Chat, keys: ApiKeys) -> None:
    async with serving(create_app(Agent(Scripted("Hello")), keys=keys)) as address:
        await chat.open(address)
        door = chat.page.get_by_role("dialog")
        await door.get_by_label("Key of this server").fill("wrong")
        await door.get_by_role("button", name="Continue").click()
        await chat.say("Hi")
        await see(door.get_by_role("alert")).to_have_text("This key is not valid.")
        await chat.shot("key-wrong")
        await door.get_by_label("Key of this server").fill(KEY)
        await door.get_by_role("button", name="Continue").click()
        await see(chat.bubbles).to_have_text(["Hello"])


async def test_without_a_key_a_message_can_be_sent_later(chat: Chat, keys: ApiKeys) -> None:
    async with serving(create_app(Agent(Scripted("Hello")), keys=keys)) as address:
        await chat.open(address)
        door = chat.page.get_by_role("dialog")
        await see(door).to_be_visible()
        await chat.page.keyboard.press("Escape")
        await see(door).to_be_hidden()
        await chat.say("Hi")
        await see(door).to_be_visible()
        await chat.page.keyboard.press("Escape")
        await see(chat.answer.get_by_role("alert")).to_contain_text("A key is needed.")
        await see(chat.button("Try again")).to_have_count(1)
        await chat.button("Try again").click()
        await door.get_by_label("Key of this server").fill(KEY)
        await door.get_by_role("button", name="Continue").click()
        await see(chat.bubbles).to_have_text(["Hello"])
