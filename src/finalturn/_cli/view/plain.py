"""Draws turns as plain lines, for a pipe, a file, or a terminal that cannot redraw."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from io import StringIO
from textwrap import indent
from typing import TextIO, assert_never

from finalturn._cli.view.blocks import Block, Bubble, Card, Notice, Question, Thought, ToolUse
from finalturn._cli.view.transcript import Transcript
from finalturn._cli.view.words import clean, marks_for, outcome_text, short, tool_text
from finalturn._core import json_text

__all__ = ["PlainScreen", "PlainStage"]

_FURTHER_IN = "    "


class PlainScreen:
    """Writes a turn's text as it comes, and every other block once it is settled.

    Args:
        out: where to.
        labels: say what each line is. Without them, there is the model's text, then the object as one
            line of JSON: for programs.
    """

    def __init__(self, out: TextIO, *, labels: bool) -> None:
        self._out = out
        self._labels = labels
        self._marks = marks_for(out.encoding)
        self._place = 0
        self._written = 0
        self._last = ""
        self._announced = False

    def show(self, transcript: Transcript) -> None:
        """Write what is new."""
        blocks = transcript.blocks
        while self._place < len(blocks) and self._is_done(blocks[self._place], transcript.ended):
            self._place += 1
            self._written = 0
        self._out.flush()

    def _is_done(self, block: Block, ended: bool) -> bool:
        """Write what is new of a block; whether there will be no more of it."""
        match block:
            case Bubble():
                self._bubble(block)
                return not block.open
            case Card():
                return self._card(block)
            case Question():
                self._line("you", short(block.text, self._marks))
            case Thought(open=True) | ToolUse(outcome=None) if not ended:
                return False
            case Thought():
                self._line("thinks", short(block.text, self._marks))
            case ToolUse():
                outcome = f" {self._marks.arrow} {outcome_text(block, self._marks)}" if block.outcome else ""
                self._line("tool", tool_text(block, self._marks) + outcome)
                self._inside(block)
            case Notice():
                self._line("event", block.event)
            case _:
                assert_never(block)
        return True

    def _inside(self, use: ToolUse) -> None:
        """What an agent has shown that ran as a tool, below it, further in."""
        if use.inside and self._labels:
            lines = StringIO()
            screen = PlainScreen(lines, labels=True)
            screen._marks = self._marks
            screen.show(Transcript(use.inside, ended=True))
            self._out.write(indent(lines.getvalue(), _FURTHER_IN))

    def _bubble(self, block: Bubble) -> None:
        if block.text.strip():
            if not self._written and self._labels:
                self._out.write("agent: ")
            self._last = clean(block.text[self._written :]) or self._last
            self._out.write(clean(block.text[self._written :]))
            self._written = len(block.text)
        if self._written and not block.open and not self._last.endswith("\n"):
            self._out.write("\n")

    def _card(self, card: Card) -> bool:
        if card.origin and not self._announced:
            self._line("event", card.origin)
            self._announced = True
        if card.state == "ready":
            text = json_text.encode(card.value).decode()
            self._out.write(f"{card.title}: {text}\n" if self._labels else f"{text}\n")
        elif card.state == "failed":
            self._line(card.title, f"none: {card.reason}")
        return card.state != "pending"

    def _line(self, label: str, text: str) -> None:
        if self._labels:
            self._out.write(f"{label}: {text}\n")


class PlainStage:
    """Lines of text.

    Args:
        out: where to.
        labels: as for `PlainScreen`; without them, nothing but turns is written.
    """

    live = False

    def __init__(self, out: TextIO, *, labels: bool = True) -> None:
        self._out = out
        self._labels = labels
        self._marks = marks_for(out.encoding)

    def heading(self, text: str) -> None:
        """A line with an empty one above it."""
        self._line(f"\n== {text} ==")

    def remark(self, text: str) -> None:
        """A line."""
        self._line(text)

    def verdict(self, good: bool, text: str) -> None:
        """A line with a mark."""
        self._line(f"{self._marks.good if good else self._marks.bad} {text}")

    @contextmanager
    def busy(self, text: str) -> Generator[None]:
        """A line."""
        self._line(f"{text} {self._marks.more}")
        yield

    @contextmanager
    def screen(self) -> Generator[PlainScreen]:
        """The lines of one turn."""
        yield PlainScreen(self._out, labels=self._labels)

    def _line(self, text: str) -> None:
        if self._labels:
            self._out.write(f"{text}\n")
            self._out.flush()
