"""Which browser tests are run, and what they share: a loop, a browser, and a fresh window for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncGenerator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser._chat import Chat
from tests.browser._need import ASKED_FOR, absent

if TYPE_CHECKING:
    from playwright.async_api import Browser

_LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave them out, and say so, where nobody has asked for them."""
    here = Path(__file__).parent
    ours = [item for item in items if here in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.browser)
    if not ours or os.environ.get(ASKED_FOR):
        return
    config.hook.pytest_deselected(items=ours)
    items[:] = [item for item in items if item not in ours]
    config.stash[_LEFT_OUT] = len(ours)


def pytest_report_collectionfinish(config: pytest.Config) -> str:
    """The printed line."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    return f"{ASKED_FOR} is not set: {left_out} tests in a browser left out" if left_out else ""


@pytest.fixture(scope="package")
def anyio_backend() -> str:
    """Servers and the browser's driver live on one loop, which must be asyncio's."""
    return "asyncio"


@pytest.fixture(scope="package")
async def browser(anyio_backend: str) -> AsyncGenerator[Browser]:
    """Headless Chromium."""
    if find_spec("playwright") is None:
        absent("playwright is not installed: make .venv/.ci")
    chromium = shutil.which("chromium")
    if chromium is None:
        absent("there is no chromium")
    from playwright.async_api import async_playwright

    # A sandbox within a container needs rights that root has not.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as driver:
        launched = await driver.chromium.launch(executable_path=chromium, args=arguments)
        yield launched
        await launched.close()


@pytest.fixture
async def chat(browser: Browser) -> AsyncGenerator[Chat]:
    """A window of its own, in which nothing may go wrong unseen."""
    context = await browser.new_context(viewport={"width": 1024, "height": 768}, reduced_motion="reduce")
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    found = Chat(await context.new_page())
    yield found
    await context.close()
    found.check()
