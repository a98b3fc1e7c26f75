"""The front end of the guide to the native stream."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.staticfiles import StaticFiles

from finalturn import Agent, Capabilities, Message, ProviderError, StructuredOutputConfig, tool
from finalturn.providers import Scripted
from finalturn.serve import ServeConfig, create_app
from finalturn.sessions import InMemorySessions
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import line_to, serving

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "frontends" / "native"
COMBINED = Capabilities(native_schema=True, native_schema_with_tools=True)


@tool
def lookup_order(number: str) -> str:
    """Look an order up by its number."""
    return f"Order {number} left the warehouse on Monday."


def never(messages: Sequence[Message], text: str) -> bool:
    return False


def app_of(model: Scripted, **config: Any) -> Any:
    made = StructuredOutputConfig(final_turn_only=True, max_validation_retries=0, **config)
    agent = Agent(
        model,
        tools=[lookup_order],
        response_format={"type": "object", "required": ["topic"]},
        structured_output=made,
        sessions=InMemorySessions(),
    )
    app = create_app(agent, config=ServeConfig(resume_for=60))
    app.mount("/example", StaticFiles(directory=EXAMPLE, html=True))
    return app


async def say(chat: Chat, text: str) -> None:
    await chat.page.get_by_label("Message").fill(text)
    await chat.button("Send").click()


@pytest.fixture
def window(chat: Chat) -> Chat:
    chat.allowed += ["favicon.ico", "Failed to load resource: net::"]
    return chat


async def test_it_shows_a_turn(window: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted(
        ["Let me look.", Scripted.call("lookup_order", {"number": "A-17"})],
        ["It left ", "on Monday."],
        [go_on.wait, '{"topic": "delivery"}'],
    )
    async with serving(app_of(model)) as address:
        await window.open(f"{address}example/")
        await say(window, "Where is A-17?")
        await see(window.status).to_have_text("The card is on its way …")
        await see(window.page.locator("#log p")).to_have_text(
            [
                "Where is A-17?",
                "Let me look.",
                "lookup_order: Order A-17 left the warehouse on Monday.",
                "It left on Monday.",
            ]
        )
        go_on.set()
        await see(window.page.locator(".card")).to_have_text('{\n  "topic": "delivery"\n}')
        await see(window.status).to_be_empty()


async def test_a_bubble_turns_into_the_card(window: Chat) -> None:
    async with serving(app_of(Scripted(['{"topic": ', '"delivery"}']))) as address:
        await window.open(f"{address}example/")
        await say(window, "Where is A-17?")
        await see(window.page.locator("#log p")).to_have_text(
            ["Where is A-17?", '{\n  "topic": "delivery"\n}']
        )
        await see(window.page.locator(".card")).to_have_count(1)


async def test_a_lost_connection_repeats_and_misses_nothing(window: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted(["Once ", "upon ", go_on.wait, "a ", "time"], '{"topic": "story"}')
    async with serving(app_of(model)) as far, line_to(far) as (line, address):
        await window.open(f"{address}example/")
        await say(window, "A story")
        await see(window.page.locator(".bubble")).to_have_text("Once upon ")
        line.down = True
        line.cut()
        await see(window.status).to_have_text("The connection was lost. Connecting again …")
        line.down = False
        go_on.set()
        await see(window.page.locator(".bubble")).to_have_text("Once upon a time")
        await see(window.page.locator(".card")).to_have_count(1)


async def test_an_answer_that_was_not_shown_as_it_came_is_shown_at_the_end(window: Chat) -> None:
    model = Scripted("Hello!", capabilities=COMBINED)
    app = app_of(model, single_pass=True, should_finalize=never)
    async with serving(app) as address:
        await window.open(f"{address}example/")
        await say(window, "Hi")
        await see(window.page.locator("#log p")).to_have_text(["Hi", "Hello!"])


async def test_the_status_goes_when_the_turn_goes_on(window: Chat) -> None:
    used, go_on = asyncio.Event(), asyncio.Event()
    model = Scripted(
        [Scripted.call("lookup_order", {"number": "A-17"})],
        [used.wait, "It left ", go_on.wait, "on Monday."],
        '{"topic": "delivery"}',
    )
    async with serving(app_of(model)) as far, line_to(far) as (line, address):
        await window.open(f"{address}example/")
        await say(window, "Where is A-17?")
        await see(window.page.locator(".tool")).to_have_count(1)
        await see(window.status).to_be_empty()
        line.down = True
        line.cut()
        await see(window.status).to_have_text("The connection was lost. Connecting again …")
        line.down = False
        used.set()
        await see(window.page.locator(".bubble")).to_have_text("It left ")
        await see(window.status).to_be_empty()
        go_on.set()
        await see(window.page.locator(".card")).to_have_count(1)


async def test_a_turn_can_be_stopped(window: Chat) -> None:
    model = Scripted(["Once ", asyncio.Event().wait])
    async with serving(app_of(model)) as address:
        await window.open(f"{address}example/")
        await say(window, "A story")
        await see(window.page.locator(".bubble")).to_have_text("Once ")
        await window.button("Stop").click()
        await see(window.page.locator(".error")).to_have_text("The turn was stopped.")
    assert model.abandoned == 1


async def test_failures_are_told_in_words(window: Chat) -> None:
    model = Scripted(ProviderError("no"), "Hello", "{}")
    async with serving(app_of(model)) as address:
        await window.open(f"{address}example/")
        await say(window, "Hi")
        await see(window.page.locator(".error")).to_have_text("The model could not answer.")
        await say(window, "Hi")
        await see(window.page.locator(".error").last).to_contain_text("does not match the schema")
