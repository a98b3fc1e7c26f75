"""What rich draws of a transcript, at several widths."""

from __future__ import annotations

import pytest
from rich.console import Console

from finalturn import StructuredOutputConfig
from finalturn._cli.view import Card, Notice, Transcript
from finalturn._cli.view.draw import Drawing
from finalturn._cli.view.words import marks_for
from tests._notice import show_as_notice
from tests.cli._turns import FAIL, LOOKUP, OBJECT, Pipe, items_of, nested_items, transcripts


def drawn(transcript: Transcript, *, width: int = 80, boxes: bool = True, encoding: str = "utf-8") -> str:
    out = Pipe(encoding)
    console = Console(file=out, width=width, color_system=None, markup=False, emoji=False)
    console.print(Drawing(marks_for(encoding), "BUSY", boxes=boxes).of(transcript))
    return out.text


def test_a_bubble_has_a_cursor_while_it_grows() -> None:
    steps = transcripts(items_of(["It is", " on its way."], OBJECT))
    assert "│ It is▌ " in drawn(steps[1])
    assert "▌" not in drawn(steps[-1])
    assert "│ It is on its way. │" in drawn(steps[-1])


def test_a_synthesis_shows_a_pending_card_and_then_the_object() -> None:
    steps = transcripts(items_of("Done.", OBJECT))
    pending, ready = drawn(steps[-2]), drawn(steps[-1])
    assert "─ Ticket ─" in pending and "BUSY on its way" in pending
    assert "━ Ticket ✓ ━" in ready and "BUSY" not in ready
    assert "topic   kettle" in ready and "urgent  true" in ready


def test_a_pending_card_shows_what_there_is_of_the_object() -> None:
    config = StructuredOutputConfig(final_turn_only=True, partial_objects=True)
    pending = drawn(transcripts(items_of("Done.", [OBJECT[:18], OBJECT[18:]], config=config))[3])
    assert "topic  kettle" in pending and "BUSY on its way" in pending
    assert "urgent" not in pending


def test_reuse_turns_the_bubble_into_a_card() -> None:
    shown, turning, ready = (drawn(step) for step in transcripts(items_of([OBJECT]))[1:])
    assert '"topic": "kettle"' in shown
    assert '"topic"' not in turning and "the text was the answer" in turning
    assert "agent" not in ready and "topic   kettle" in ready


def test_a_silent_turn_shows_a_pending_card_from_the_start() -> None:
    begin = Transcript.of("Hi", answer="Ticket", silent=True)
    assert "Ticket" in drawn(begin) and "BUSY on its way" in drawn(begin)
    assert "BUSY" not in drawn(begin.broken_off("stopped"))


def test_it_moves_while_the_model_is_waited_for() -> None:
    steps = transcripts(items_of([LOOKUP], "Done.", plain=True))
    assert ["BUSY" in drawn(step) for step in steps] == [True, False, True, False, False]


def test_tools_show_what_came_of_them() -> None:
    steps = transcripts(items_of([LOOKUP, FAIL], "Done.", plain=True))
    assert '  lookup(order="A1") …' in drawn(steps[1])
    assert '  lookup(order="A1")\n  → A1 is on its way' in drawn(steps[-1])
    assert "→ failed: ValueError: no such order" in drawn(steps[-1])


def test_a_failed_card_says_why() -> None:
    text = drawn(transcripts(items_of("Done.", "nonsense"))[-1])
    assert "Ticket ✗" in text and "none: the answer" in text


@pytest.mark.parametrize(("value", "text"), [([1, 2], "[1,2]"), ("a\x1bb", "ab"), (None, "null")])
def test_an_answer_that_is_no_object_is_json(value: object, text: str) -> None:
    assert text in drawn(Transcript((Card("", state="ready", value=value),), ended=True))


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_it_fits(width: int) -> None:
    items = items_of(["A long line of prose that goes on. " * 4, LOOKUP], "漢字" * 40, OBJECT)
    for step in transcripts(items):
        lines = drawn(step, width=width).splitlines()
        assert max(len(line) for line in lines) <= min(width, 76)


def test_without_boxes_text_stands_by_itself() -> None:
    text = drawn(transcripts(items_of("Done.", OBJECT), Transcript(answer="Ticket"))[-1], boxes=False)
    assert text.startswith("Done.\n┏━ Ticket")


def test_markup_of_a_model_is_text() -> None:
    text = drawn(transcripts(items_of("[bold]a[/bold] :smile: \x1b[2J", plain=True))[-1])
    assert "[bold]a[/bold] :smile: [2J" in text


def test_blank_bubbles_are_not_drawn() -> None:
    hold = StructuredOutputConfig(final_turn_only=True, hold_json=True)
    text = drawn(transcripts(items_of(f"{OBJECT}\n", config=hold))[-1])
    assert "agent" not in text


def test_everything_can_be_drawn_in_ascii() -> None:
    for step in transcripts(items_of(["Look.", LOOKUP], "Done.", OBJECT)):
        assert "?" not in drawn(step, encoding="ascii").replace("order?", "")


def test_a_notice_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    event = show_as_notice(monkeypatch, "finalturn._cli.view.draw")
    assert drawn(Transcript((Notice(event),), waiting=False)).strip() == "slow today"


def test_what_an_agent_shows_that_runs_as_a_tool_is_drawn_further_in() -> None:
    steps = transcripts(nested_items())
    lines = [line.rstrip() for line in drawn(steps[-1], boxes=False).splitlines()]
    assert '  ask(task="one")' in lines and "    Let me look." in lines and "    It is coming." in lines
    place = lines.index('      lookup(order="A1")')
    assert lines[place + 1] == "      → A1 is on its way"
    assert any("▌" in drawn(step) for step in steps)
