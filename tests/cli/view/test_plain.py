"""Plain lines: stable, whatever the pieces, and without a byte that only a terminal knows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import ModelEnd, StreamEvent, StructuredOutputConfig
from finalturn._cli.view import Item, Notice, PlainStage, Transcript
from finalturn.providers import Scripted
from tests.cli._turns import COMPACT, FAIL, LOOKUP, OBJECT, Pipe, items_of, nested_items, transcripts

HOLD = StructuredOutputConfig(final_turn_only=True, hold_json=True)


def written(items: list[Item], *, labels: bool = True, begin: Transcript | None = None) -> str:
    out = Pipe()
    with PlainStage(out, labels=labels).screen() as screen:
        for transcript in transcripts(items, begin):
            screen.show(transcript)
    return out.text


def test_a_synthesis_as_lines() -> None:
    items = items_of([Scripted.reasoning("hm"), "Look.", LOOKUP, FAIL], ["It is ", "coming."], OBJECT)
    assert written(items).splitlines() == [
        "you: Where is my order?",
        "thinks: hm",
        "agent: Look.",
        'tool: lookup(order="A1") → A1 is on its way',
        'tool: fail(order="B") → failed: ValueError: no such order',
        "agent: It is coming.",
        "event: structured_synthesis_start",
        f"Ticket: {COMPACT}",
    ]


def test_a_reused_answer_as_lines() -> None:
    assert written(items_of([OBJECT[:7], OBJECT[7:]])).splitlines()[1:] == [
        f"agent: {OBJECT}",
        "event: structured_reuse",
        f"Ticket: {COMPACT}",
    ]


def test_an_answer_that_does_not_validate_says_so() -> None:
    lines = written(items_of("Done.", "nonsense")).splitlines()
    assert lines[-1].startswith("Ticket: none: ")
    assert "nonsense" not in lines[-1]


def test_a_turn_that_breaks_off_says_so() -> None:
    out = Pipe()
    steps = transcripts(items_of(["Look.", LOOKUP], "Done.", OBJECT))
    with PlainStage(out).screen() as screen:
        for transcript in steps[:3]:
            screen.show(transcript)
        screen.show(steps[2].broken_off("stopped"))
    assert out.text.splitlines()[-1] == 'tool: lookup(order="A1")'


@pytest.mark.parametrize(
    ("calls", "config", "text"),
    [
        (("Done.", OBJECT), HOLD, f"Done.\n{COMPACT}\n"),
        (("Done.\n", OBJECT), HOLD, f"Done.\n{COMPACT}\n"),
        ((f"Done:\n{OBJECT}\n", OBJECT), HOLD, f"Done:\n{COMPACT}\n"),
        ((OBJECT,), HOLD, f"{COMPACT}\n"),
        ((f"\n\n{OBJECT}\n",), HOLD, f"{COMPACT}\n"),
        ((OBJECT,), StructuredOutputConfig(final_turn_only=True), f"{OBJECT}\n{COMPACT}\n"),
        ((f"{OBJECT}\n",), StructuredOutputConfig(final_turn_only=True), f"{OBJECT}\n{COMPACT}\n"),
        (("Done.", "no", "no", "no"), HOLD, "Done.\n"),
    ],
)
def test_for_programs_there_is_the_text_and_then_one_line_of_json(
    calls: tuple[str, ...], config: StructuredOutputConfig, text: str
) -> None:
    items = items_of(*calls, config=config)
    assert written(items, labels=False, begin=Transcript(answer="Ticket")) == text


def test_text_is_written_as_it_comes() -> None:
    out = Pipe()
    seen: list[str] = []
    with PlainStage(out, labels=False).screen() as screen:
        for transcript in transcripts(items_of(["a", "b", ModelEnd()], plain=True), Transcript()):
            screen.show(transcript)
            seen.append(out.text)
    assert seen == ["", "a", "ab", "ab\n"]


def test_control_characters_are_left_out() -> None:
    items = items_of(["\x1b[31mred", "\x07\n"], plain=True)
    assert written(items, labels=False, begin=Transcript()) == "[31mred\n"


@given(st.text("ab{\n \x1b", min_size=1, max_size=30), st.data())
def test_where_the_text_is_cut_changes_nothing(text: str, data: st.DataObject) -> None:
    text += "."
    cuts = sorted(data.draw(st.sets(st.integers(1, len(text)))))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True) if text[a:b]]
    assert written(items_of(pieces, plain=True)) == written(items_of(text, plain=True))


def test_a_stage_writes_lines() -> None:
    out = Pipe("ascii")
    stage = PlainStage(out)
    stage.heading("Part")
    stage.remark("A remark.")
    with stage.busy("Working"):
        stage.verdict(True, "fine")
    stage.verdict(False, "not fine")
    assert out.text == "\n== Part ==\nA remark.\nWorking ...\n[ok] fine\n[!!] not fine\n"


def test_a_stage_for_programs_writes_nothing_beside_turns() -> None:
    out = Pipe()
    stage = PlainStage(out, labels=False)
    stage.heading("Part")
    stage.remark("A remark.")
    stage.verdict(True, "fine")
    with stage.busy("Working"):
        pass
    assert out.text == ""


def test_what_the_encoding_lacks_does_not_stop_it() -> None:
    out = Pipe("ascii")
    with PlainStage(out).screen() as screen:
        for transcript in transcripts(items_of("Grüße 🙂", plain=True)):
            screen.show(transcript)
    assert out.text.endswith("agent: Gr??e ?\n")


def test_a_notice_is_a_line_of_its_own() -> None:
    out = Pipe()
    with PlainStage(out).screen() as screen:
        screen.show(Transcript((Notice(StreamEvent.STRUCTURED_REUSE),), ended=True))
    assert out.text == "event: structured_reuse\n"


def test_what_an_agent_shows_that_runs_as_a_tool_stands_below_its_call_and_further_in() -> None:
    lines = written(nested_items()).splitlines()
    assert lines[1].startswith('tool: ask(task="one") → ') and lines[6].startswith('tool: ask(task="two") → ')
    assert lines[2:6] == [
        "    thinks: hm",
        "    agent: Let me look. ",
        '    tool: lookup(order="A1") → A1 is on its way',
        "    agent: It is coming.",
    ]
    assert lines[7] == "agent: Done."
    assert written(nested_items(), labels=False) == "Done.\n"
