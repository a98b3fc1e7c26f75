"""Assertions that wait until they are true."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.async_api import Locator
    from playwright.async_api._generated import LocatorAssertions


def see(what: Locator) -> LocatorAssertions:
    """What a person is to see. It waits: nothing sleeps, and nothing is timed."""
    # Where nobody asks for these tests, the driver need not be there.
    from playwright.async_api import expect

    return expect(what)


async def until(event: asyncio.Event) -> None:
    """Wait for what the model or the store does; a test that waits in vain fails, and does not hang."""
    async with asyncio.timeout(30):
        await event.wait()
