"""The terminal: redrawn while a turn goes on, and the whole of it stays."""

from __future__ import annotations

import re

import pytest
from rich.console import Console
from rich.text import Text

from finalturn._cli.view.terminal import Tail, TerminalStage
from tests.cli._turns import OBJECT, Pipe, items_of, transcripts


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "10")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def test_when_a_turn_is_over_the_whole_of_it_stays() -> None:
    out = Pipe(terminal=True)
    long = "".join(f"line {number}\n" for number in range(30))
    with TerminalStage(out).screen() as screen:
        for transcript in transcripts(items_of(long, OBJECT)):
            screen.show(transcript)
    last = out.text.rpartition("─ you ─")[2]
    assert all(f"line {number} " in last for number in range(30))
    assert "kettle" in last


def test_what_is_redrawn_is_the_end_as_far_as_it_fits() -> None:
    out = Pipe(terminal=True)
    console = Console(file=out, width=20, height=5, color_system=None)
    console.print(Tail(Text("\n".join("abcdefgh"))))
    assert out.text == "e\nf\ng\nh\n"


def test_it_stays_when_the_turn_breaks_off() -> None:
    out = Pipe(terminal=True)
    step = transcripts(items_of("Hello", plain=True))[1]

    def interrupted() -> None:
        with TerminalStage(out).screen() as screen:
            screen.show(step.broken_off("stopped"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert "Hello" in out.text
    assert "\x1b[?25h" in out.text, "the cursor is shown again"


def test_without_colours_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured, plain = Pipe(terminal=True), Pipe(terminal=True)
    TerminalStage(coloured).verdict(True, "fine")
    monkeypatch.setenv("NO_COLOR", "1")
    TerminalStage(plain).verdict(True, "fine")
    assert re.search(r"\x1b\[[\d;]*3\d", coloured.text)
    assert plain.text == "✓ fine\n"


def test_a_console_that_is_made_up_already_is_drawn_on_as_it_is() -> None:
    out = Pipe(terminal=True)
    TerminalStage(Console(file=out, color_system=None)).heading("Part")
    assert out.text == "\nPart\n"


def test_a_stage_draws_its_sentences() -> None:
    out = Pipe("ascii", terminal=True)
    stage = TerminalStage(out)
    stage.heading("Part")
    stage.remark("A remark.")
    stage.verdict(False, "not fine")
    with stage.busy("Working"):
        pass
    text = re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", out.text)
    assert text.startswith("\nPart\nA remark.\n[!!] not fine\n")
    assert "?" not in text
