"""The pictures stand where people look first, in a light and in a dark form."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from finalturn._cli.demo.paths import JSON
from tests.pictures._read import size
from tools.pictures.__main__ import FOLDER
from tools.pictures._chat import DENSITY, HEIGHT, SCHEMES, SHOWN, WIDTH, WORDS

ROOT = Path(__file__).resolve().parents[2]
FIRST = ("README.md", "docs/index.md")
STILLS = [f"chat-{what}-{scheme}.png" for what in ("bubble", "card") for scheme in SCHEMES]
NAMES = ["demo-still.svg", "demo.svg", *STILLS]

_SHOWN = re.compile(r'(?:src|srcset)="([^"]+)"|!\[[^\]]+\]\(([^)#]+)(?:#only-(?:light|dark))?\)')


@pytest.mark.parametrize("page", FIRST)
def test_a_first_page_shows_each_of_them(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    paths = [(ROOT / page).parent / (html or markdown) for html, markdown in _SHOWN.findall(text)]
    assert sorted(path.name for path in paths) == sorted(NAMES)
    assert all(path.is_file() for path in paths)
    assert all(re.search(r'alt="[^"]{40,}"', image) for image in re.findall(r"<img[^>]*>", text))


def test_there_is_no_picture_that_nobody_shows() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(NAMES)


def test_a_still_for_dark_stands_beside_its_light_one() -> None:
    readme, index = ((ROOT / page).read_text(encoding="utf-8") for page in FIRST)
    for what in ("bubble", "card"):
        dark = f'media="(prefers-color-scheme: dark)" srcset="docs/assets/pictures/chat-{what}-dark.png"'
        assert f'{dark}><img src="docs/assets/pictures/chat-{what}-light.png"' in readme
        assert all(f"chat-{what}-{scheme}.png#only-{scheme}" in index for scheme in SCHEMES)


@pytest.mark.parametrize("name", STILLS)
def test_a_still_is_small_and_it_is_kept_what_it_says(name: str) -> None:
    png = (FOLDER / name).read_bytes()
    assert len(png) < 200_000
    assert size(png) == (WIDTH * DENSITY, HEIGHT * DENSITY)
    said = json.loads(WORDS.read_text(encoding="utf-8"))[name]
    assert said["sha256"] == hashlib.sha256(png).hexdigest()
    words = said["words"]
    assert "Where is my kettle?" in words
    assert (JSON[:SHOWN] in words) is ("bubble" in name)
    assert ("Asks where the kettle is" in words) is ("card" in name)
