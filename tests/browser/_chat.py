"""The chat page, as a person uses it: by what it says and shows, not by how it is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.async_api import ConsoleMessage, Locator, Page, Request

SHOTS = Path(__file__).resolve().parents[2] / "build" / "browser"


class Chat:
    """A window with the page, and all that went wrong in it.

    Attributes:
        page: the driver's.
        allowed: parts of what the browser may print as an error, since the test brings it about.
        sent: what was requested.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.allowed: list[str] = []
        self.sent: list[Request] = []
        self._printed: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._printed.append(str(error)))
        page.on("request", lambda request: self.sent.append(request))

    async def open(self, address: str) -> None:
        """Open the page."""
        await self.page.goto(address)

    async def say(self, text: str) -> None:
        """Type a message, and send it."""
        await self.text.fill(text)
        await self.text.press("Enter")

    @property
    def text(self) -> Locator:
        """Where a message is written."""
        return self.page.get_by_role("textbox", name="Message")

    @property
    def log(self) -> Locator:
        """The conversation."""
        return self.page.get_by_role("log")

    @property
    def answers(self) -> Locator:
        """What the assistant has answered, an article for each turn."""
        return self.log.get_by_role("article").filter(has=self.page.get_by_role("heading", name="Assistant"))

    @property
    def answer(self) -> Locator:
        """The last answer."""
        return self.answers.last

    @property
    def bubbles(self) -> Locator:
        """The texts of the last answer."""
        return self.answer.locator("p.bubble")

    @property
    def card(self) -> Locator:
        """The card of the last answer."""
        return self.answer.get_by_role("region", name="Answer card")

    @property
    def status(self) -> Locator:
        """What goes on now."""
        return self.page.get_by_role("status")

    def button(self, name: str) -> Locator:
        """A button."""
        return self.page.get_by_role("button", name=name)

    def field(self, name: str) -> Locator:
        """What the card says about a field."""
        term = self.page.locator("dt").get_by_text(name, exact=True)
        return self.card.locator("dl > div").filter(has=term).locator("dd").first

    async def shot(self, name: str) -> None:
        """A picture of the window, to be looked at."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        await self.page.screenshot(path=SHOTS / f"{name}.png")

    def bodies(self) -> list[Any]:
        """The bodies of the turns that were asked for."""
        return [one.post_data_json for one in self.sent if one.method == "POST"]

    def check(self) -> None:
        """Nothing was printed that the test does not bring about, and no other host was asked."""
        unforeseen = [text for text in self._printed if not any(part in text for part in self.allowed)]
        assert unforeseen == []
        hosts = {
            urlsplit(one.url).hostname for one in self.sent if not one.url.startswith(("data:", "blob:"))
        }
        assert hosts <= {"127.0.0.1", "localhost"}

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._printed.append(f"{message.text} ({message.location.get('url', '')})")
