"""The picture of the demo is what the demo shows today, and needs nothing but itself."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.pictures._read import shown, stops, without_boxes
from tools.pictures import _film
from tools.pictures.__main__ import FOLDER, of_the_demo
from tools.pictures._film import FilmStage, film

AGAIN = "make pictures, and look at them"


@cache
def pictures() -> dict[str, str]:
    return dict(of_the_demo())


def kept(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_each_frame_says_what_the_terminal_says() -> None:
    demo = film()
    assert shown(kept("demo.svg")) == [without_boxes(frame.text) for frame in demo.frames], AGAIN
    assert shown(kept("demo-still.svg")) == [without_boxes(demo.frames[demo.still].text)], AGAIN


@pytest.mark.parametrize("name", ["demo.svg", "demo-still.svg"])
def test_the_picture_in_the_repository_is_the_one_that_is_made(name: str) -> None:
    assert kept(name) == pictures()[name], AGAIN
    assert len(kept(name).encode()) < 200_000


def test_the_film_tells_of_prose_a_tool_and_a_ticket() -> None:
    demo = film()
    still = demo.frames[demo.still].text
    for words in ('lookup_order(order="A-1001")', "It arrives on Friday.", "Ticket ✓", "✓ as promised by "):
        assert words in still
    assert "✓ all 6 paths are as promised" in demo.frames[-1].text
    assert any('{"order":"A-100▌' in frame.text for frame in demo.frames), "a bubble with half an object"
    assert 20 <= sum(frame.ticks for frame in demo.frames) / _film.TICKS_A_SECOND <= 30


def test_frames_come_one_after_the_other_from_the_first() -> None:
    found = stops(kept("demo.svg"))
    demo = film()
    height = -found[1][1]
    assert [far for _, far in found] == [-place * height for place in range(len(demo.frames))]
    assert [percent for percent, _ in found] == sorted({percent for percent, _ in found})
    assert found[0][0] == 0
    assert f".film {{ transform: translateY({-demo.still * height}px) }}" in kept("demo.svg")


@pytest.mark.parametrize("name", ["demo.svg", "demo-still.svg"])
def test_it_needs_no_other_file_and_no_script(name: str) -> None:
    svg = kept(name)
    assert re.findall(r"<script|<foreignObject|<image|@import|url\(|\bon\w+=", svg) == []
    assert all(href.startswith("#") for href in re.findall(r'href="([^"]*)"', svg))
    assert "@media (prefers-color-scheme: dark)" in svg


def test_nothing_moves_for_who_wants_no_motion() -> None:
    moving, standing = kept("demo.svg"), kept("demo-still.svg")
    assert "animation" not in standing
    asked = moving.index("@media (prefers-reduced-motion: no-preference) {")
    assert [match.start() for match in re.finditer("animation:", moving)] == [
        moving.index("animation:", asked)
    ]
    assert "<animate" not in moving


def test_a_demo_that_is_not_as_promised_is_not_filmed(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(stage: FilmStage, *, with_model: bool) -> int:
        return 1

    monkeypatch.setattr(_film, "run_demo", wrong)
    with pytest.raises(RuntimeError, match="not as promised"):
        film()


def test_what_is_in_no_scene_is_not_filmed() -> None:
    stage = FilmStage()
    stage.heading("Path 5 of 6: single pass")
    stage.remark("Nobody sees this.")
    assert stage.frames == []
    stage.heading("Path 1 of 6: synthesis")
    stage.remark("Everybody sees this.")
    (frame,) = stage.frames
    assert frame.text.split("\n")[1:] == ["Path 1 of 6: synthesis", "Everybody sees this."]
