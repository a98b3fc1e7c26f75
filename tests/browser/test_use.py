"""Who uses the page, and on what: a keyboard, a screen reader, a phone, in the dark."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest

from finalturn import Agent, ProviderError, StructuredOutputConfig, tool
from finalturn.providers import Scripted
from finalturn.serve import create_app
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio

LONG = "https://example.org/" + "a-very-long-path/" * 12
FOUND = {
    "topic": "delivery",
    "urgent": False,
    "customer": {"name": "Ada Lovelace", "city": "London"},
    "tracking_page": LONG,
    "items": [{"name": "Cup", "count": 2}, {"name": "Teapot", "count": 1}],
    "tags": ["fragile", "gift"],
}


@tool
def lookup_order(number: str) -> dict[str, str]:
    """Look an order up by its number."""
    return {"number": number, "state": "shipped", "page": LONG}


def desk(held: asyncio.Event) -> Agent[object]:
    model = Scripted(
        [
            Scripted.reasoning("They ask for an order. I look it up."),
            "Let me look that up for you.",
            Scripted.call("lookup_order", {"number": "A-17"}),
        ],
        [
            "Your order A-17 left the warehouse on Monday. It should be with you tomorrow, before noon.\n\n",
            f"You can follow it here: {LONG}",
        ],
        [held.wait, json.dumps(FOUND)],
        ProviderError("no", retryable=True),
    )
    config = StructuredOutputConfig(final_turn_only=True)
    return Agent(model, tools=[lookup_order], response_format={"type": "object"}, structured_output=config)


async def test_the_page_can_be_used_with_the_keyboard_alone(chat: Chat) -> None:
    go_on = asyncio.Event()
    press = chat.page.keyboard.press
    async with serving(create_app(desk(go_on))) as address:
        await chat.open(address)
        await see(chat.text).to_be_focused()
        await press("Enter")  # nothing is written: nothing is sent
        await chat.page.keyboard.type("Where is my order?")
        await press("Shift+Enter")
        await chat.page.keyboard.type("It is A-17.")
        await press("Enter")
        await see(chat.text).to_have_value("")
        await see(chat.log.locator(".question .bubble")).to_have_text("Where is my order?\nIt is A-17.")
        await see(chat.card).to_be_visible()
        await see(chat.text).to_be_focused()
        await chat.page.keyboard.type("And then?")
        await press("Enter")  # it waits: one turn at a time
        await see(chat.text).to_have_value("And then?")
        await press("Tab")
        await see(chat.button("Stop")).to_be_focused()
        go_on.set()
        await see(chat.button("Send")).to_be_visible()
        await see(chat.text).to_be_focused()  # the button that had it is gone
        # In the order of the page: from its top through the conversation to where one writes.
        await chat.button("New chat").focus()
        stops: list[str] = []
        for _ in range(6):
            await press("Tab")
            stops.append(
                await chat.page.evaluate("document.activeElement.innerText || document.activeElement.id")
            )
        assert stops == [
            "Reasoning",
            "lookup_order · done",
            "Copy JSON",
            "JSON",
            "text",
            "Send",
        ]
        await chat.answer.locator("summary").nth(1).focus()
        await press("Enter")
        await see(chat.answer.get_by_text('"state": "shipped"')).to_be_visible()
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert await chat.page.evaluate(outline) == "solid"
    assert len(chat.bodies()) == 1


async def test_a_screen_reader_finds_its_way(chat: Chat) -> None:
    go_on = asyncio.Event()
    await chat.page.clock.install(time=0)
    await chat.page.clock.pause_at(1)
    async with serving(create_app(desk(go_on))) as address:
        await chat.open(address)
        await chat.say("Where is my order?")
        await see(chat.card).to_be_visible()
        # While an answer comes, nothing of it is read out: it would be, bit by bit.
        await see(chat.log).to_have_attribute("aria-busy", "true")
        await see(chat.answer).to_have_attribute("aria-live", "off")
        go_on.set()
        await see(chat.field("topic")).to_have_text("delivery")
        await see(chat.log).to_have_attribute("aria-busy", "false")
        # Then it is, once, as a whole.
        said = chat.page.locator("[aria-live=polite]")
        await see(said).to_have_count(1)
        await see(said).to_contain_text("Your order A-17 left the warehouse on Monday.")
        await see(said).to_contain_text("Ada Lovelace")
        await see(said).not_to_contain_text("I look it up")
        await chat.page.clock.run_for(10_000)
        await see(said).to_be_empty()
        await see(chat.page.locator("body")).to_match_aria_snapshot(TREE)
        assert await properties(chat, "log") == {"live": "polite", "busy": False}
        assert await properties(chat, "status") == {"live": "polite", "busy": False}


async def properties(chat: Chat, role: str) -> dict[str, object]:
    """What the browser tells a screen reader about how a region changes."""
    session = await chat.page.context.new_cdp_session(chat.page)
    tree: Any = await cast("Any", session).send("Accessibility.getFullAXTree")
    [node] = [one for one in tree["nodes"] if one.get("role", {}).get("value") == role]
    found = {one["name"]: one["value"]["value"] for one in node.get("properties", [])}
    return {"live": found.get("live"), "busy": found.get("busy", False)}


TREE = """
- banner:
  - heading "Chat" [level=1]
  - button "New chat"
- main:
  - log "Conversation":
    - article:
      - heading "You" [level=2]
      - paragraph: Where is my order?
    - article:
      - heading "Assistant" [level=2]
      - group: Reasoning
      - paragraph: Let me look that up for you.
      - group: lookup_order · done
      - paragraph: /Your order A-17 left the warehouse/
      - region "Answer card":
        - heading "Answer" [level=3]
        - button "Copy JSON"
        - term: topic
        - definition: delivery
        - term: urgent
        - definition: "no"
        - term: customer
        - definition:
          - term: name
          - definition: Ada Lovelace
        - term: items
        - definition:
          - list:
            - listitem:
              - term: name
              - definition: Cup
        - group: JSON
- contentinfo:
  - status
  - textbox "Message"
  - button "Send"
"""


async def see_that_it_fits(chat: Chat) -> None:
    width = await chat.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1]
    cut = """[...document.querySelectorAll("body *:not(.unseen)")].filter((node) =>
        node.getClientRects().length && !node.closest(".unseen, .bar")
        && node.getBoundingClientRect().right > innerWidth + 1).length"""
    assert await chat.page.evaluate(cut) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(320, 640), (1024, 768)])
async def test_it_fits_in_every_light(chat: Chat, scheme: str, width: int, height: int) -> None:
    go_on = asyncio.Event()
    await chat.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    await chat.page.set_viewport_size({"width": width, "height": height})
    async with serving(create_app(desk(go_on))) as address:
        await chat.open(address)
        await chat.shot(f"{scheme}-{width}-0-empty")
        await see_that_it_fits(chat)
        await chat.say("Where is my order? It is number A-17, and I have waited for a week.")
        await see(chat.card).to_be_visible()
        await chat.shot(f"{scheme}-{width}-1-pending")
        await see_that_it_fits(chat)
        go_on.set()
        await see(chat.button("Send")).to_be_visible()
        await chat.shot(f"{scheme}-{width}-2-card")
        for summary in await chat.answer.locator("summary").all():
            await summary.click()
        await see_that_it_fits(chat)
        await chat.say(LONG)
        await see(chat.answer.get_by_role("alert")).to_be_visible()
        await chat.shot(f"{scheme}-{width}-3-failed")
        await see_that_it_fits(chat)
        await chat.page.evaluate("scrollTo(0, 0)")
        await chat.shot(f"{scheme}-{width}-4-unfolded")
