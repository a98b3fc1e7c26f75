"""A terminal is drawn on; everything else gets lines."""

from __future__ import annotations

import pytest

from finalturn._cli.view import PlainStage, open_stage
from finalturn._cli.view.terminal import TerminalStage
from tests.cli._turns import Pipe


def test_a_terminal_is_drawn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    assert isinstance(open_stage(Pipe(terminal=True)), TerminalStage)


@pytest.mark.parametrize(("terminal", "kind"), [(False, "xterm"), (True, "dumb"), (True, "unknown")])
def test_what_cannot_be_redrawn_gets_lines(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, kind: str
) -> None:
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setenv("FORCE_COLOR", "1")
    out = Pipe(terminal=terminal)
    stage = open_stage(out)
    assert isinstance(stage, PlainStage)
    stage.remark("Hello")
    assert out.text == "Hello\n"


def test_lines_may_be_for_programs() -> None:
    out = Pipe()
    open_stage(out, labels=False).remark("Hello")
    assert out.text == ""
