"""The demo as a film: what a terminal shows, frame by frame, and for how long.

The demo itself is played, with its scripted model and its real HTTP, on the stage of a terminal. It is
redrawn after each item of the stream, and not as time goes by: the film is the same each time, and nobody
waits for it.
"""

from __future__ import annotations

import io
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.ansi import AnsiDecoder
from rich.console import Console, RenderableType
from rich.segment import Segment

from finalturn._cli.demo import run_demo
from finalturn._cli.view import Card, ToolUse, Transcript
from finalturn._cli.view.terminal import LiveScreen, TerminalStage

COLUMNS = 78

SCENES = ("Path 1 ", "Path 2 ", "Path 3 ")
"""How the headings of the parts begin that are shown, each on an empty screen."""

LAST = "The contract"
"""The heading of the part that ends the film, below what stands there."""

TICKS_A_SECOND = 10
PIECE, WAITING, BEAT, READING, LAST_READING = 1, 5, 8, 22, 35
"""For how many ticks there stand: a piece of text; a wait for the model; what is about to come; the end of a
scene, and of the film."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What the terminal shows at one time.

    Attributes:
        lines: from top to bottom, each in the pieces that have one style.
        ticks: for how long.
    """

    lines: tuple[tuple[Segment, ...], ...]
    ticks: int

    @property
    def text(self) -> str:
        """The lines, without their styles."""
        return "\n".join("".join(piece.text for piece in line).rstrip() for line in self.lines)


class FilmStage(TerminalStage):
    """A terminal that is filmed.

    Attributes:
        frames: the film so far.
        still: the index of the frame in which the first scene is over: the film in one picture.
    """

    live = False  # the demo makes no pauses

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.still = 0
        self._lines: tuple[tuple[Segment, ...], ...] = ()
        self._filmed = False
        self._now = 0
        self._out = io.StringIO()
        self._film = Console(
            file=self._out,
            width=COLUMNS,
            height=100,
            force_terminal=True,
            color_system="standard",
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            get_time=lambda: self._now / TICKS_A_SECOND,
            _environ={},
        )
        super().__init__(self._film)

    def heading(self, text: str) -> None:
        """Begin a scene, or end the film until the next one."""
        self._filmed = text.startswith((*SCENES, LAST))
        if text.startswith(SCENES):
            self._lines = ()
        super().heading(text)
        self._stay()

    def remark(self, text: str) -> None:
        """A sentence, and time to read it."""
        super().remark(text)
        self._stay(BEAT)

    def verdict(self, good: bool, text: str) -> None:
        """A sentence, and time to look at all of the scene."""
        super().verdict(good, text)
        self._stay(READING)
        self.still = self.still or len(self.frames) - 1

    @contextmanager
    def screen(self) -> Generator[LiveScreen]:
        """A turn, redrawn after each of its items."""
        screen = _FilmedScreen(self, self.new_screen())
        yield screen
        self._film.print(screen.drawn())
        self._stay()

    def expose(self, ticks: int, below: RenderableType = "") -> None:
        """Film what stands there, and something below it that may move."""
        for _ in range(ticks if self._filmed else 0):
            with self._film.capture() as drawn:
                self._film.print(below)
            lines = (*self._lines, *self._decoded(drawn.get()))
            if self.frames and self.frames[-1].lines == lines:
                self.frames[-1] = Frame(lines, self.frames[-1].ticks + 1)
            else:
                self.frames.append(Frame(lines, 1))
            self._now += 1

    def _stay(self, ticks: int = 0) -> None:
        """What has been printed stands there from now on."""
        if self._filmed:
            self._lines += self._decoded(self._out.getvalue())
        self._out.seek(0)
        self._out.truncate()
        self.expose(ticks)

    def _decoded(self, text: str) -> tuple[tuple[Segment, ...], ...]:
        lines = AnsiDecoder().decode(text.removesuffix("\n")) if text.strip("\n") else ()
        return tuple(tuple(piece for piece in line.render(self._film) if piece.text) for line in lines)


class _FilmedScreen(LiveScreen):
    def __init__(self, stage: FilmStage, inner: LiveScreen) -> None:
        self._stage = stage
        self._inner = inner

    def show(self, transcript: Transcript) -> None:
        """Film what it looks like now."""
        self._inner.show(transcript)
        if not transcript.ended:
            self._stage.expose(_ticks(transcript), self._inner.drawn())

    def drawn(self) -> RenderableType:
        """All of it."""
        return self._inner.drawn()


def _ticks(transcript: Transcript) -> int:
    last = transcript.blocks[-1]
    if transcript.waiting or transcript.silent:
        return WAITING
    return BEAT if isinstance(last, Card | ToolUse) else PIECE


def film() -> FilmStage:
    """Play the demo without the local model, and film it."""
    stage = FilmStage()
    if run_demo(stage, with_model=False):
        raise RuntimeError("the demo is not as promised: python -m finalturn demo --no-model says why")
    stage.expose(LAST_READING - READING)
    return stage
