"""Draws a transcript with rich."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard, assert_never

from rich.align import Align
from rich.box import HEAVY, ROUNDED
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from finalturn._cli.view.blocks import Block, Bubble, Card, Notice, Question, Thought, ToolUse
from finalturn._cli.view.transcript import Transcript
from finalturn._cli.view.words import Marks, clean, outcome_text, short, tool_text, value_text
from finalturn._core.chunks import presentation_of

__all__ = ["Drawing"]

_WIDEST = 76


class Drawing:
    """Draws transcripts.

    Args:
        marks: what this terminal can show.
        busy: something that moves.
        boxes: draw bubbles as boxes; else their text stands by itself, easy to copy.
    """

    def __init__(self, marks: Marks, busy: RenderableType, *, boxes: bool) -> None:
        self._marks = marks
        self._busy = busy
        self._boxes = boxes

    def of(self, transcript: Transcript) -> RenderableType:
        """All that is to be seen now."""
        parts = [part for block in transcript.blocks if (part := self._block(block)) is not None]
        if transcript.silent and not transcript.ended:
            parts.append(self._card(Card(transcript.answer)))
        elif transcript.waiting:
            parts.append(self._beside(self._busy, ""))
        # Wider boxes are hard to read; text by itself takes what there is, as its lines may be copied.
        return Constrain(Group(*parts), _WIDEST) if self._boxes else Group(*parts)

    def _block(self, block: Block) -> RenderableType | None:
        match block:
            case Question():
                return Align.right(_panel(Text(clean(block.text)), "you", "blue"))
            case Bubble():
                return self._bubble(block)
            case Thought():
                return Text(short(block.text, self._marks), style="dim italic")
            case ToolUse():
                return self._tool(block)
            case Card():
                return self._card(block)
            case Notice():
                return Text(presentation_of(block.event).label, style="dim")
            case _:
                assert_never(block)

    def _bubble(self, bubble: Bubble) -> RenderableType | None:
        text = clean(bubble.text).strip("\n")
        if not text.strip():
            return None
        body = Text(text + (self._marks.cursor if bubble.open else ""))
        return _panel(body, "agent", "cyan") if self._boxes else body

    def _tool(self, use: ToolUse) -> RenderableType:
        line = Text(tool_text(use, self._marks), style="magenta")
        if use.outcome is None:
            line.append(f" {self._marks.more}")
        else:
            style = "dim" if use.outcome.tool_result is not None else "red"
            line.append(f"\n{self._marks.arrow} {outcome_text(use, self._marks)}", style=style)
        inside = [part for block in use.inside if (part := self._block(block)) is not None]
        body = (
            Group(line, *(Padding(part, (0, 0, 0, 2), expand=False) for part in inside)) if inside else line
        )
        return Padding(body, (0, 0, 0, 2), expand=False)

    def _card(self, card: Card) -> RenderableType:
        title = card.title or "answer"
        if card.state == "pending":
            words = "on its way" if card.origin is None else presentation_of(card.origin).label
            below = self._beside(self._busy, words)
            return _panel(below if card.value is None else Group(_value(card.value), below), title, "yellow")
        if card.state == "failed":
            return _panel(Text(f"none: {card.reason}"), f"{title} {self._marks.bad}", "red")
        return Panel(
            _value(card.value),
            title=Text(f"{title} {self._marks.good}"),
            title_align="left",
            border_style="green",
            box=HEAVY,
            expand=False,
        )

    def _beside(self, busy: RenderableType, words: str) -> RenderableType:
        row = Table.grid(padding=(0, 1))
        row.add_row(busy, Text(words, style="dim"))
        return row


def _panel(body: RenderableType, title: str, style: str) -> Panel:
    heading = Text(title, style=style)
    return Panel(body, title=heading, title_align="left", border_style=style, box=ROUNDED, expand=False)


def _value(value: Any) -> RenderableType:
    if not _is_object(value):
        return Text(value_text(value))
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="bold", overflow="fold")
    rows.add_column(overflow="fold", ratio=1)
    for name, item in value.items():
        rows.add_row(Text(clean(name)), Text(value_text(item)))
    return rows


def _is_object(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, dict)
