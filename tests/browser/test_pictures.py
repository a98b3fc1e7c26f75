"""The stills of the chat page can be taken again, and still say what the kept ones say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.pictures._read import size
from tools.pictures.__main__ import FOLDER
from tools.pictures._chat import WORDS, stills

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = pytest.mark.anyio


async def test_the_page_says_what_its_stills_say(browser: Browser) -> None:
    taken = await stills(browser)
    kept = json.loads(WORDS.read_text(encoding="utf-8"))
    assert {name: (size(png), words) for name, (png, words) in taken.items()} == {
        name: (size((FOLDER / name).read_bytes()), said["words"]) for name, said in kept.items()
    }, "make pictures, and look at them"
