"""The chat page while a bubble becomes a card, as stills of a real browser.

The served page is asked about an order of the demo's. The scripted model writes the object unasked, and stops
in the midst of it: one picture is taken there, and one when the turn is over.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from finalturn import ModelSettings, StructuredOutputConfig
from finalturn._cli.demo.desk import order_database, support_desk
from finalturn._cli.demo.paths import JSON
from finalturn.providers import Scripted
from finalturn.serve import create_app
from tests.browser._chat import Chat
from tests.browser._see import see, until
from tests.browser._serve import serving

if TYPE_CHECKING:
    from playwright.async_api import Browser

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTH, HEIGHT, DENSITY = 440, 560, 2
SHOWN = 69
"""Characters of the object that are there when the first picture is taken."""


WORDS = Path(__file__).with_name("chat.json")
"""What each picture says: pictures are compared by that, and it is kept with the digest of the picture."""


class Still(NamedTuple):
    """A picture, and what the conversation in it says."""

    png: bytes
    words: str


async def stills(browser: Browser) -> Mapping[str, Still]:
    """Each picture by the name of its file."""
    return {name: png for scheme in SCHEMES for name, png in (await _stills_in(browser, scheme)).items()}


async def _stills_in(browser: Browser, scheme: Literal["light", "dark"]) -> Mapping[str, Still]:
    written, go_on = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        written.set()
        await go_on.wait()

    model = Scripted(
        ["I'll look that up.", Scripted.call("lookup_order", {"order": "A-1001"})],
        [*Scripted.pieces(JSON[:SHOWN], 4), hold, *Scripted.pieces(JSON[SHOWN:], 4)],
    )
    context = await browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        device_scale_factor=DENSITY,
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    with order_database() as database:
        desk = support_desk(model, database, StructuredOutputConfig(final_turn_only=True), ModelSettings())
        async with serving(create_app(desk)) as address:
            chat = Chat(await context.new_page())
            await chat.open(address)
            await chat.say("Where is my kettle? The order is A-1001.")
            await until(written)
            await see(chat.bubbles.last).to_have_text(JSON[:SHOWN])
            bubble = await _still(chat)
            go_on.set()
            await see(chat.field("summary")).to_have_text("Asks where the kettle is")
            await see(chat.status).to_have_text("")
            card = await _still(chat)
    await context.close()
    chat.check()
    return {f"chat-bubble-{scheme}.png": bubble, f"chat-card-{scheme}.png": card}


async def _still(chat: Chat) -> Still:
    return Still(await chat.page.screenshot(), await chat.log.inner_text())


async def take(folder: Path, chromium: str, arguments: list[str]) -> None:
    """Take all pictures, into the folder."""
    from playwright.async_api import async_playwright

    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=chromium, args=arguments)
        taken = await stills(browser)
        await browser.close()
    said = {}
    for name, (png, words) in taken.items():
        (folder / name).write_bytes(png)
        said[name] = {"sha256": hashlib.sha256(png).hexdigest(), "words": words}
    WORDS.write_text(json.dumps(said, indent=1, sort_keys=True) + "\n", encoding="utf-8")
