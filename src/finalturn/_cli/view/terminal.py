"""Draws turns in a terminal, and redraws them while they go on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.spinner import Spinner
from rich.text import Text

from finalturn._cli.view.draw import Drawing
from finalturn._cli.view.transcript import Transcript
from finalturn._cli.view.words import marks_for

__all__ = ["LiveScreen", "Tail", "TerminalStage"]

_PER_SECOND = 15


class Tail:
    """As much of the end of something as the terminal is high: above it, nothing can be redrawn."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its last lines."""
        lines = console.render_lines(self._inner, options, pad=False)
        for line in lines[-max(console.height - 1, 1) :]:
            yield from line
            yield Segment.line()


class LiveScreen:
    """Draws a turn again and again in one place; `drawn` is what it looks like now."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._transcript = Transcript(waiting=False)

    def show(self, transcript: Transcript) -> None:
        """Have this drawn the next time."""
        # Another thread draws: transcripts never change, so it needs no lock.
        self._transcript = transcript

    def drawn(self) -> RenderableType:
        """All of it."""
        return self._drawing.of(self._transcript)


class TerminalStage:
    """A terminal.

    Args:
        out: where to: a stream, or a console that is made up already.
        boxes: draw bubbles as boxes.
    """

    live = True

    def __init__(self, out: TextIO | Console, *, boxes: bool = True) -> None:
        console = (
            out if isinstance(out, Console) else Console(file=out, highlight=False, markup=False, emoji=False)
        )
        self._console = console
        self._marks = marks_for(out.encoding)
        self._spinner = "dots" if self._marks.good == "✓" else "line"
        self._boxes = boxes

    def heading(self, text: str) -> None:
        """A title with an empty line above it."""
        self._console.print()
        self._console.print(Text(text, style="bold"))

    def remark(self, text: str) -> None:
        """A sentence that stands back."""
        self._console.print(Text(text, style="dim"))

    def verdict(self, good: bool, text: str) -> None:
        """A sentence with a mark."""
        mark = Text(f"{self._marks.good} ", "green") if good else Text(f"{self._marks.bad} ", "bold red")
        self._console.print(mark.append(text))

    @contextmanager
    def busy(self, text: str) -> Generator[None]:
        """A sentence and something that moves, until it is over."""
        with self._console.status(Text(text), spinner=self._spinner):
            yield

    def new_screen(self) -> LiveScreen:
        """What the next turn is drawn with, before anything has begun to redraw it."""
        return LiveScreen(Drawing(self._marks, Spinner(self._spinner), boxes=self._boxes))

    @contextmanager
    def screen(self) -> Generator[LiveScreen]:
        """A turn that is redrawn in place. When it is over, the whole of it stays."""
        screen = self.new_screen()
        live = Live(
            console=self._console,
            get_renderable=lambda: Tail(screen.drawn()),
            refresh_per_second=_PER_SECOND,
            transient=True,
        )
        try:
            with live:
                yield screen
        finally:
            self._console.print(screen.drawn())
