"""The guide to the native stream shows the files that the tests in a browser use."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "guides" / "native-stream.md"
EXAMPLE = ROOT / "examples" / "frontends" / "native"
BLOCK = re.compile(r"^`?([a-z.]+)`?:\n\n```[a-z]+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_its_code_is_that_of_the_example() -> None:
    shown = dict(BLOCK.findall(GUIDE.read_text(encoding="utf-8")))
    assert shown.keys() == {"turn.js", "chat.js", "index.html"}
    assert shown == {name: (EXAMPLE / name).read_text(encoding="utf-8") for name in shown}


@pytest.mark.parametrize("name", ["turn.js"])
def test_what_the_chat_page_shares_with_it_is_the_same(name: str) -> None:
    shared = files("finalturn._serve.page").joinpath(name).read_text(encoding="utf-8")
    assert (EXAMPLE / name).read_text(encoding="utf-8") == shared
