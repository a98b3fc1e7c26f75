"""Lines that a person types."""

from __future__ import annotations

import builtins
import sys

import pytest

from finalturn._cli.chat.repl import read_lines
from tests.cli._turns import Pipe


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str | BaseException) -> list[str]:
    """What is read when a person types this; prompts are kept in `prompts`."""
    given = iter([*lines, EOFError()])

    def answer(prompt: str = "") -> str:
        line = next(given)
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr(builtins, "input", answer)
    return list(read_lines())


def test_lines_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed(monkeypatch, "one", "", "  ", "two") == ["one", "two"]


@pytest.mark.parametrize("word", ["/quit", "/exit", " /quit "])
def test_lines_until_one_says_so(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    assert typed(monkeypatch, "/quiet", word, "two") == ["/quiet"]


def test_an_interrupt_drops_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed(monkeypatch, KeyboardInterrupt(), "two") == ["two"]


def test_a_line_that_is_no_text_is_dropped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(monkeypatch, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "two") == ["two"]
    assert "error: this line is not text" in capsys.readouterr().err


@pytest.mark.parametrize("terminal", [True, False])
def test_the_prompt_goes_to_the_person(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    prompts: list[str] = []

    def answer(prompt: str = "") -> str:
        prompts.append(prompt)
        raise EOFError

    out, err = Pipe(terminal=terminal), Pipe()
    monkeypatch.setattr(builtins, "input", answer)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    assert list(read_lines()) == []
    assert prompts == ["> " if terminal else ""]
    assert (out.text, err.text) == ("", "\n" if terminal else "> \n")
