"""Prose, reasoning and tools."""

from __future__ import annotations

import asyncio

import pytest

from finalturn import Agent, Limits, ToolError, ToolPolicy, Usage, tool
from finalturn._core.model import FinishReason, ModelEnd
from finalturn.providers import Scripted
from finalturn.serve import create_app
from tests.browser._chat import Chat
from tests.browser._see import see
from tests.browser._serve import serving

pytestmark = pytest.mark.anyio


@tool
def lookup_order(number: str) -> dict[str, str]:
    """Look an order up by its number."""
    if number == "?":
        raise ToolError("There is no such order.")
    if number == "!":
        raise RuntimeError("secret of the database")
    return {"number": number, "state": "shipped"}


async def test_prose_appears_as_it_comes(chat: Chat) -> None:
    go_on = asyncio.Event()
    model = Scripted(["Hel", go_on.wait, "lo <b>you</b>", " & *all*"])
    async with serving(create_app(Agent(model))) as address:
        await chat.open(address)
        await see(chat.page.get_by_text("Write a message to begin.")).to_be_visible()
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text("Hel")
        await see(chat.status).to_have_text("Answering…")
        await see(chat.button("Send")).to_be_hidden()
        go_on.set()
        # Markup that a model writes is text.
        await see(chat.bubbles).to_have_text("Hello <b>you</b> & *all*")
        await see(chat.status).to_have_text("")
        await see(chat.button("Send")).to_be_visible()
        await see(chat.button("Stop")).to_be_hidden()


# The page's policy lets no driver evaluate texts in it, as its own way to wait would.
AT_THE_END = """new Promise((done, failed) => {
    let frames = 0;
    const at = () => Math.abs(scrollY + innerHeight - document.body.scrollHeight) < 2;
    const look = () => {
        if (at()) done();
        else if (++frames > 300) failed("the end is not in sight");
        else requestAnimationFrame(look);
    };
    look();
})"""


async def test_the_end_stays_in_sight_unless_one_has_scrolled_away(chat: Chat) -> None:
    first, second, third = asyncio.Event(), asyncio.Event(), asyncio.Event()
    lines = "one line\n" * 100
    model = Scripted(
        [*Scripted.pieces(lines, 3), first.wait, lines, "2", second.wait, lines, "3", third.wait], "4"
    )
    async with serving(create_app(Agent(model))) as address:
        await chat.open(address)
        await chat.say("A long story")
        await see(chat.bubbles).to_contain_text("one line")
        await chat.page.evaluate(AT_THE_END)
        # The browser tells of a move a little later, when more text has come already: nobody scrolled away.
        grow = "document.querySelector('.answer .bubble').append('line\\n'.repeat(50))"
        await chat.page.evaluate(f"{grow}; dispatchEvent(new Event('scroll'))")
        first.set()
        await see(chat.bubbles).to_contain_text("2")
        await chat.page.evaluate(AT_THE_END)
        await chat.page.evaluate("scrollTo(0, 300)")
        # Two frames later the page has noticed.
        frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        await chat.page.evaluate(frames)
        second.set()
        await see(chat.bubbles).to_contain_text("3")
        await chat.page.evaluate(frames)
        assert await chat.page.evaluate("scrollY") == 300
        third.set()
        await see(chat.button("Send")).to_be_visible()
        await chat.say("Another")
        await see(chat.bubbles).to_have_text("4")
        await chat.page.evaluate(AT_THE_END)


async def test_reasoning_is_folded_away(chat: Chat) -> None:
    model = Scripted([Scripted.reasoning("Hm. "), Scripted.reasoning("They greet."), "Hello"])
    async with serving(create_app(Agent(model))) as address:
        await chat.open(address)
        await chat.say("Hi")
        await see(chat.bubbles).to_have_text("Hello")
        thought = chat.answer.get_by_text("Hm. They greet.")
        await see(thought).to_be_hidden()
        await chat.answer.get_by_text("Reasoning").click()
        await see(thought).to_be_visible()


async def test_tools_are_shown_with_what_came_of_them(chat: Chat) -> None:
    go_on = asyncio.Event()

    @tool
    async def wait_for_it(place: str) -> str:
        """Wait."""
        await go_on.wait()
        return "there"

    @tool
    def refund() -> str:
        """Give the money back."""
        return "done"

    model = Scripted(
        ["Let me look.", Scripted.call("wait_for_it", {"place": "Oslo"})],
        [
            Scripted.call("lookup_order", {"number": "A-17"}),
            Scripted.call("lookup_order", {"number": "?"}),
            Scripted.call("lookup_order", {"number": "!"}),
            Scripted.call("lookup_order", "{"),
            Scripted.call("refund"),
        ],
        "It is on its way.",
    )
    gates = [ToolPolicy(deny=["refund"])]
    agent = Agent(model, tools=[wait_for_it, lookup_order, refund], gates=gates)
    async with serving(create_app(agent)) as address:
        await chat.open(address)
        await chat.say("Where is A-17?")
        summary = chat.answer.locator("summary")
        await see(summary).to_have_text("wait_for_it · running")
        await see(chat.status).to_have_text("Using wait_for_it…")
        await chat.shot("tool-running")
        go_on.set()
        await see(chat.bubbles.last).to_have_text("It is on its way.")
        await see(summary).to_have_text(
            [
                "wait_for_it · done",
                "lookup_order · done",
                "lookup_order · failed: There is no such order.",
                "lookup_order · failed: the tool failed",
                "lookup_order · failed: the arguments were not valid",
                "refund · not run: the call was not allowed",
            ]
        )
        details = chat.answer.get_by_role("group").nth(1)
        await see(details.get_by_text('"state": "shipped"')).to_be_hidden()
        await summary.nth(1).click()
        await see(details.get_by_text('"state": "shipped"')).to_be_visible()
        await see(details.get_by_text('"number": "A-17"')).to_have_count(2)
        assert "secret" not in await chat.page.content()
        await chat.shot("tools")


async def test_the_page_keeps_the_conversation_where_the_server_does_not(chat: Chat) -> None:
    model = Scripted(
        ["Let me look.", Scripted.call("lookup_order", {"number": "A-17"})], "Shipped.", "You are welcome."
    )
    async with serving(create_app(Agent(model, tools=[lookup_order]))) as address:
        await chat.open(address)
        await chat.say("Where is A-17?")
        await see(chat.bubbles.last).to_have_text("Shipped.")
        await see(chat.button("Send")).to_be_visible()
        await chat.say("Thanks")
        await see(chat.bubbles.last).to_have_text("You are welcome.")
    assert chat.bodies()[1] == {
        "input": [
            {"role": "user", "content": "Where is A-17?"},
            {"role": "assistant", "content": "Let me look."},
            {"role": "assistant", "content": "Shipped."},
            {"role": "user", "content": "Thanks"},
        ]
    }


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("length", "The answer was cut off: it reached the length limit."),
        ("refusal", "The model declined to answer."),
    ],
)
async def test_an_answer_that_ends_early_says_why(chat: Chat, end: FinishReason, words: str) -> None:
    async with serving(create_app(Agent(Scripted(["Once upon", ModelEnd(end)])))) as address:
        await chat.open(address)
        await chat.say("Tell me a story")
        await see(chat.bubbles).to_have_text("Once upon")
        await see(chat.answer.get_by_text(words)).to_be_visible()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(requests=1), "The turn ended early: it reached its limit of requests to the model."),
        (Limits(total_tokens=1), "The turn ended early: it reached its limit of tokens."),
    ],
)
async def test_a_turn_that_reached_a_limit_says_which(chat: Chat, limits: Limits, words: str) -> None:
    look = Scripted.call("lookup_order", {"number": "A-17"})
    model = Scripted(["Let me look.", look, Usage(total_tokens=5)])
    async with serving(create_app(Agent(model, tools=[lookup_order], limits=limits))) as address:
        await chat.open(address)
        await chat.say("Where is A-17?")
        await see(chat.bubbles).to_have_text("Let me look.")
        await see(chat.answer.get_by_text(words)).to_be_visible()


async def test_a_turn_without_an_answer_says_why(chat: Chat) -> None:
    model = Scripted(then=[Scripted.call("lookup_order", {"number": "A-17"})])
    async with serving(create_app(Agent(model, tools=[lookup_order], max_iterations=2))) as address:
        await chat.open(address)
        await chat.say("Look")
        await see(
            chat.answer.get_by_text("The turn ended after as many steps as it may take")
        ).to_be_visible()


async def test_a_tool_may_end_the_turn(chat: Chat) -> None:
    @tool(terminal=True)
    def hand_over() -> str:
        """Hand over to a person."""
        return "A colleague will write to you."

    model = Scripted([Scripted.call("hand_over")])
    async with serving(create_app(Agent(model, tools=[hand_over]))) as address:
        await chat.open(address)
        await chat.say("Help")
        await see(chat.answer.get_by_text("The turn ended with what the tool gave.")).to_be_visible()
