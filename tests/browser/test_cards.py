"""The object at the end: pending, out of a bubble, absent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest
from pydantic import BaseModel

from finalturn import Agent, Capabilities, Message, StructuredOutputConfig, tool
from finalturn.providers import Scripted
from finalturn.serve import create_app
from tests.browser._chat import Chat
from tests.browser._see import see, until
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio

TICKET = '{"topic": "refund", "urgent": true, "order_number": 90071992547409931}'
FENCED = f"```json\n{TICKET}\n```"


class Ticket(BaseModel):
    topic: str
    urgent: bool
    order_number: int


TWO_CALLS = StructuredOutputConfig(final_turn_only=True)


def desk(model: Scripted, config: StructuredOutputConfig = TWO_CALLS) -> Agent[Ticket]:
    return Agent(model, response_format=Ticket, structured_output=config)


def never(messages: Sequence[Message], text: str) -> bool:
    return False


async def see_the_ticket(chat: Chat) -> None:
    await see(chat.field("topic")).to_have_text("refund")
    await see(chat.field("urgent")).to_have_text("yes")
    # Not rounded, as JavaScript's numbers are.
    await see(chat.field("order number")).to_have_text("90071992547409931")
    await see(chat.card).to_have_count(1)
    await see(chat.status).to_have_text("")


async def test_the_card_fills_while_it_is_made(chat: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted("Sorry to hear that.", [TICKET[:19], TICKET[19:25], go_on.wait, TICKET[25:]])
    config = StructuredOutputConfig(final_turn_only=True, partial_objects=True)
    async with serving(create_app(desk(model, config))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see(chat.field("topic")).to_have_text("refund")
        await see(chat.card.get_by_role("heading")).to_have_text("Preparing the card…")
        await see(chat.field("urgent")).to_have_count(0)
        go_on.set()
        await see_the_ticket(chat)
        await see(chat.card.get_by_role("heading")).to_have_text("Answer")


async def test_a_card_that_filled_for_nothing_goes_away(chat: Chat) -> None:
    bad = '{"topic": "refund", "urgent": "perhaps"}'
    config = StructuredOutputConfig(final_turn_only=True, partial_objects=True, max_validation_retries=0)
    async with serving(create_app(desk(Scripted("Sorry.", [bad[:19], bad[19:]]), config))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see(chat.page.get_by_role("log").get_by_text("There is no card")).to_be_visible()
        await see(chat.card).to_have_count(0)


async def test_the_card_is_pending_while_it_is_made(chat: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted("Sorry to hear that.", [go_on.wait, TICKET])
    async with serving(create_app(desk(model))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see(chat.card.get_by_role("heading")).to_have_text("Preparing the card…")
        await see(chat.status).to_have_text("Preparing the card…")
        await chat.shot("card-pending")
        go_on.set()
        await see_the_ticket(chat)
        await see(chat.bubbles).to_have_text(["Sorry to hear that."])
        await chat.shot("card")


@pytest.mark.parametrize("text", [TICKET, FENCED], ids=["bare", "fenced"])
async def test_a_bubble_that_was_the_answer_turns_into_the_card(chat: Chat, text: str) -> None:
    shown, go_on = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        shown.set()
        await go_on.wait()

    model = Scripted(["A moment.", Scripted.call("look")], [*Scripted.pieces(text, 7), hold])

    @tool
    def look() -> str:
        """Look."""
        return ""

    agent = Agent(model, tools=[look], response_format=Ticket, structured_output=TWO_CALLS)
    async with serving(create_app(agent)) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await until(shown)
        await see(chat.bubbles).to_have_text(["A moment.", text])
        await see(chat.card).to_have_count(0)
        go_on.set()
        await see_the_ticket(chat)
        await see(chat.bubbles).to_have_text(["A moment."])


async def test_held_text_is_never_seen(chat: Chat) -> None:
    model = Scripted([*Scripted.pieces(f"Here it is.\n{FENCED}", 3)], TICKET)
    async with serving(create_app(desk(model, replace(TWO_CALLS, hold_json=True)))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see_the_ticket(chat)
        await see(chat.bubbles).to_have_text(["Here it is."])


async def test_a_single_pass_shows_the_card_alone(chat: Chat) -> None:
    capabilities = Capabilities(native_schema=True, native_schema_with_tools=True)
    model = Scripted([*Scripted.pieces(TICKET, 5)], capabilities=capabilities)
    async with serving(create_app(desk(model, replace(TWO_CALLS, single_pass=True)))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see_the_ticket(chat)
        await see(chat.bubbles).to_have_count(0)


async def test_an_answer_that_streamed_as_json_turns_into_the_card_too(chat: Chat) -> None:
    model = Scripted('{"topic": 1}', TICKET)
    async with serving(create_app(desk(model, StructuredOutputConfig()))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see_the_ticket(chat)
        # A rejected attempt was shown, and stays.
        await see(chat.bubbles).to_have_text(['{"topic": 1}'])


async def test_a_turn_that_needs_no_card_says_so(chat: Chat) -> None:
    model = Scripted("Hello!")
    async with serving(create_app(desk(model, replace(TWO_CALLS, should_finalize=never)))) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text(["Hello!"])
        await see(chat.answer.get_by_text("none was needed")).to_be_visible()
        await see(chat.card).to_have_count(0)


async def test_a_single_pass_that_needs_no_card_shows_its_text(chat: Chat) -> None:
    capabilities = Capabilities(native_schema=True)
    model = Scripted("Hello!", capabilities=capabilities)
    config = replace(TWO_CALLS, single_pass=True, should_finalize=never)
    async with serving(create_app(desk(model, config))) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text(["Hello!"])


async def test_a_card_that_cannot_be_made_says_why(chat: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted("It was refunded.", [go_on.wait, '{"topic": "refund"}'])
    async with serving(create_app(desk(model, replace(TWO_CALLS, max_validation_retries=0)))) as address:
        await chat.open(address)
        await chat.say("I want my money back!")
        await see(chat.card).to_be_visible()
        go_on.set()
        await see(chat.answer.get_by_text("There is no card: the answer does not match")).to_be_visible()
        await see(chat.card).to_have_count(0)
        await see(chat.bubbles).to_have_text(["It was refunded."])
        await chat.shot("no-card")


async def test_any_json_can_be_read_and_copied(chat: Chat) -> None:
    found = {
        "empty": [],
        "nothing": None,
        "off": False,
        "price": 4.0,
        "tags": ["new", "x" * 200],
        "lines": [{"name": "Cup", "size": {"cm": 9}}, {"name": "<i>Pot</i>", "size": {"cm": 20}}],
        "deep": {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}},
        "__proto__": "a name like any other",
    }
    model = Scripted(json.dumps(found))
    agent = Agent(model, response_format={"type": "object"}, structured_output=TWO_CALLS)
    async with serving(create_app(agent)) as address:
        await chat.open(address)
        await chat.say("All of it")
        await see(chat.field("empty")).to_have_text("none")
        await see(chat.field("nothing")).to_have_text("none")
        await see(chat.field("off")).to_have_text("no")
        await see(chat.field("price")).to_have_text("4.0")
        await see(chat.field("tags").get_by_role("listitem").first).to_have_text("new")
        await see(chat.field("lines")).to_contain_text("<i>Pot</i>")
        await see(chat.field("deep")).to_contain_text('{"g":1}')
        await chat.button("Copy JSON").click()
        await see(chat.button("Copied")).to_be_visible()
        copied = await chat.page.evaluate("navigator.clipboard.readText()")
        assert json.loads(copied) == found
        await chat.page.mouse.wheel(0, -5000)
        await chat.shot("card-of-anything")
