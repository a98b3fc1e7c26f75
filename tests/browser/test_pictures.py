"""The stills of the chat page can be taken again, and still say what the kept ones say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.pictures.__main__ import FOLDER
from tools.pictures._chat import stills
from tools.pictures._png import description, size

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio


async def test_the_page_says_what_its_stills_say(browser: Browser) -> None:
    taken = await stills(browser)
    kept = {path.name: path.read_bytes() for path in FOLDER.glob("*.png")}
    assert {name: (size(png), description(png)) for name, png in taken.items()} == {
        name: (size(png), description(png)) for name, png in kept.items()
    }, "make pictures, and look at them"
