"""What goes wrong, in words, and what a person can do then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from finalturn import Agent, Message, ProviderError, StructuredOutputConfig
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio

# A status of 400 and more is printed by the browser itself.
REFUSED = "Failed to load resource"


@pytest.mark.parametrize("text", [[], ["It "]], ids=["before text", "after text"])
async def test_a_model_that_fails_for_now_can_be_asked_again(chat: Chat, text: Sequence[str]) -> None:
    failure = ProviderError("secret of the vendor", status=529, retryable=True)
    model = Scripted([*text, failure], "It is on its way.", "You are welcome.")
    async with serving(create_app(Agent(model))) as address:
        await chat.open(address)
        await chat.say("Where is my order?")
        alert = chat.answer.get_by_role("alert")
        await see(alert).to_contain_text("The model could not answer.")
        await see(chat.bubbles).to_have_text(list(text))
        assert "secret" not in await chat.page.content()
        await chat.shot(f"failed-{len(text)}")
        await alert.get_by_role("button", name="Try again").click()
        await see(chat.bubbles).to_have_text(["It is on its way."])
        # The failed attempt is gone.
        await see(chat.log.get_by_text("Where is my order?")).to_have_count(1)
        await see(chat.text).to_be_focused()
        await chat.say("Thanks")
        await see(chat.bubbles).to_have_text(["You are welcome."])
    assert [one["content"] for one in chat.bodies()[-1]["input"]] == [
        "Where is my order?",
        "It is on its way.",
        "Thanks",
    ]


async def test_a_model_that_fails_for_good_is_not_asked_again(chat: Chat) -> None:
    async with serving(create_app(Agent(Scripted(ProviderError("no", status=400))))) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.answer.get_by_role("alert")).to_have_text("The model could not answer.")
        await see(chat.button("Try again")).to_have_count(0)


async def test_a_card_that_was_pending_goes_when_the_turn_fails(chat: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted("Hello", [go_on.wait, ProviderError("no")])
    config = StructuredOutputConfig(final_turn_only=True)
    agent = Agent(model, response_format={"type": "object"}, structured_output=config)
    async with serving(create_app(agent)) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.card).to_be_visible()
        go_on.set()
        await see(chat.answer.get_by_role("alert")).to_be_visible()
        await see(chat.card).to_have_count(0)


async def test_a_busy_session_can_be_asked_again(chat: Chat) -> None:
    chat.allowed.append(REFUSED)
    go_on = asyncio.Event()
    model = Scripted([go_on.wait, "First"], "Second", then="Third")
    async with serving(create_app(Agent(model, sessions=InMemorySessions()))) as address:
        await chat.open(f"{address}#shared")
        await chat.say("One")
        await see(chat.status).to_have_text("Thinking…")
        other = Chat(await chat.page.context.new_page())
        other.allowed.append(REFUSED)
        await other.open(f"{address}#shared")
        await other.say("Two")
        alert = other.answer.get_by_role("alert")
        await see(alert).to_contain_text("Another turn of this session is still running.")
        go_on.set()
        await see(chat.bubbles).to_have_text(["First"])
        await other.button("Try again").click()
        await see(other.bubbles).to_have_text(["Second"])
        other.check()


async def test_a_turn_that_another_overtook_is_told_so_and_loads_it(chat: Chat) -> None:
    chat.allowed.append(REFUSED)
    store = InMemorySessions()

    async def overtake() -> None:
        loaded = store.load("shared")
        store.append("shared", [Message.user("Meanwhile"), Message.assistant("Yes")], loaded.version)

    model = Scripted([overtake, "First"], "Second")
    async with serving(create_app(Agent(model, sessions=store))) as address:
        await chat.open(f"{address}#shared")
        await chat.say("One")
        await see(chat.answer.get_by_role("alert")).to_contain_text("Another turn was saved")
        await chat.button("Try again").click()
        await see(chat.bubbles).to_have_text(["Second"])
        await see(chat.log.locator(".question .bubble")).to_have_text(["Meanwhile", "One"])


async def test_a_full_session_says_so(chat: Chat) -> None:
    chat.allowed.append(REFUSED)
    config = ServeConfig(max_session_messages=1)
    model = Scripted("First")
    async with serving(create_app(Agent(model, sessions=InMemorySessions()), config=config)) as address:
        await chat.open(address)
        await chat.say("One")
        await see(chat.bubbles).to_have_text(["First"])
        await see(chat.button("Send")).to_be_visible()
        await chat.say("Two")
        await see(chat.answer.get_by_role("alert")).to_have_text(
            "This session takes no further turn. Start another."
        )


async def test_what_the_server_refuses_is_told_in_its_words(chat: Chat) -> None:
    chat.allowed.append(REFUSED)
    async with serving(create_app(Agent(Scripted()), config=ServeConfig(max_body=100))) as address:
        await chat.open(address)
        await chat.say("long " * 100)
        await see(chat.answer.get_by_role("alert")).to_be_visible()
        await see(chat.button("Try again")).to_have_count(0)


async def test_a_server_that_is_gone_can_be_asked_again(chat: Chat) -> None:
    chat.allowed.append(REFUSED)
    async with serving(create_app(Agent(Scripted()))) as address:
        await chat.open(address)
    await chat.say("Hi")
    await see(chat.answer.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    await see(chat.button("Try again")).to_be_visible()
