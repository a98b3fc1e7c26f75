"""An agent that runs as a tool: what it does is below the tool's name, folded, and further in."""

from __future__ import annotations

import pytest

from finalturn import Agent, tool
from finalturn.providers import Scripted
from finalturn.serve import create_app
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio


@tool
def search(text: str) -> str:
    """Search the handbook."""
    return "page 12"


def desk() -> Agent[None]:
    inner = Agent(
        Scripted(
            [Scripted.reasoning("A rule."), "Let me ", "look.", Scripted.call("search", {"text": "kettle"})],
            "30 days.",
            then="Nothing.",
        ),
        tools=[search],
    )
    tasks = [Scripted.call("research", {"task": task}) for task in ("one", "two")]
    model = Scripted(["I will ask. ", *tasks], "You have 30 days.")
    return Agent(model, tools=[inner.as_tool("research", "Finds rules.", show=True)])


async def test_what_it_does_stands_in_its_call_and_not_in_the_answer(chat: Chat) -> None:
    async with serving(create_app(desk())) as address:
        await chat.open(address)
        await chat.say("How long?")
        await see(chat.log.locator(".answer > .bubble")).to_have_text(["I will ask. ", "You have 30 days."])
        calls = chat.log.locator(".answer > .tool")
        await see(calls).to_have_count(2)
        first, second = calls.nth(0), calls.nth(1)
        await see(first.locator(":scope > .inside")).to_be_hidden()
        await first.locator("> summary").click()
        await see(first.locator(":scope > .inside > p")).to_have_text(["Let me look.", "30 days."])
        await see(first.locator(".inside > .tool > summary")).to_have_text("search · done")
        await see(first.locator(".inside > .thought > p")).to_have_text("A rule.")
        await see(first.locator("> summary")).to_have_text("research · done")
        await second.locator("> summary").click()
        await see(second.locator(":scope > .inside > p")).to_have_text(["Nothing."])
        await chat.shot("nested")
