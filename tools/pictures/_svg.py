"""A film of a terminal as one SVG that needs nothing else: no script, no font, no other file.

The frames lie one below the other, and a style sheet moves them past a window. Who wants no motion sees one
of them, and so does a viewer that knows none. The colours are for a light or a dark ground, as the reader
prefers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from rich.segment import Segment
from rich.style import Style

from tools.pictures._film import COLUMNS, TICKS_A_SECOND, Frame

CELL, LINE = 8.4, 19
"""Of a character, at 14 pixels: how wide it is, and how high its line."""

EDGE, BAR = 18, 34
"""Of the window: the space at its sides, and the height of its title bar."""

# The characters that boxes are made of, and where their lines lead from the middle of a cell: left, right, up
# or down. They are drawn, since fonts leave gaps between them.
_ARMS = {
    **{"─": "lr", "│": "ud", "╭": "dr", "╮": "dl", "╰": "ur", "╯": "ul"},
    **{"━": "lr", "┃": "ud", "┏": "dr", "┓": "dl", "┗": "ur", "┛": "ul"},
}
_HEAVY = frozenset("━┃┏┓┗┛")
_BOX = "".join(_ARMS)
_RUN = re.compile(rf"(?P<rule>(?P<dash>[─━])(?P=dash)*)|[{_BOX}]|(?P<words>[^\s{_BOX}]+(?: [^\s{_BOX}]+)*)")

_STYLE = """\
:root { --ground: #ffffff; --bar: #f0f3f6; --line: #d0d7de; --text: #1f2328; --soft: #59636e; --red: #cf222e;
  --green: #1a7f37; --yellow: #8a5a00; --blue: #0550ae; --magenta: #7d3fc9; --cyan: #0b6e84 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #161b22; --bar: #21262d; --line: #3d444d; --text: #e6edf3; --soft: #9ea7b3;
    --red: #ff7b72; --green: #56d364; --yellow: #e3b341; --blue: #79c0ff; --magenta: #d2a8ff;
    --cyan: #56d4dd }
}
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: currentColor; white-space: pre }
path { fill: none; stroke: currentColor; stroke-width: 1.2 }
svg { color: var(--text) }
.heavy { stroke-width: 2.4 }
.bold { font-weight: 700 }
.dim { color: var(--soft) }
.italic { font-style: italic }
.red { color: var(--red) }
.green { color: var(--green) }
.yellow { color: var(--yellow) }
.blue { color: var(--blue) }
.magenta { color: var(--magenta) }
.cyan { color: var(--cyan) }
"""
_COLOURS = ("", "red", "green", "yellow", "blue", "magenta", "cyan", "")


def animated(frames: Sequence[Frame], still: int, title: str) -> str:
    """The film as SVG, the same for the same film.

    Args:
        frames: the film.
        still: the index of the frame that stands for all of it where nothing moves.
        title: what the window is called.
    """
    height = _height(frames)
    seconds = sum(frame.ticks for frame in frames) / TICKS_A_SECOND
    style = f"""\
.film {{ transform: translateY({-still * height}px) }}
@media (prefers-reduced-motion: no-preference) {{
  .film {{ animation: film {seconds:g}s step-end infinite }}
}}
@keyframes film {{
{_keyframes(frames, height)}
}}
"""
    return _window(frames, height, title, frames[still].text, style)


def standing(frames: Sequence[Frame], still: int, title: str) -> str:
    """One frame of the film in the film's window, as SVG: for viewers that are not asked what they prefer."""
    return _window(frames[still : still + 1], _height(frames), title, frames[still].text)


def _height(frames: Sequence[Frame]) -> int:
    return max(len(frame.lines) for frame in frames) * LINE + EDGE


def _window(frames: Sequence[Frame], inside: int, title: str, words: str, style: str = "") -> str:
    width, height = round(COLUMNS * CELL + 2 * EDGE), inside + BAR
    lines = {line: number for number, line in enumerate(dict.fromkeys(_lines(frames)))}
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title words">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="words">{escape(words.strip(), quote=False)}</desc>',
            f"<style>\n{_STYLE}{style}</style>",
            "<defs>",
            *(f'<g id="l{number}">{"".join(_drawn(line))}</g>' for line, number in lines.items()),
            "</defs>",
            f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="var(--ground)"'
            ' stroke="var(--line)"/>',
            f'<path d="M1 {BAR}V9.5a8.5 8.5 0 0 1 8.5-8.5H{width - 9.5}a8.5 8.5 0 0 1 8.5 8.5V{BAR}z"'
            ' style="fill: var(--bar); stroke: none"/>',
            *(f'<circle cx="{x}" cy="{BAR / 2:g}" r="5.5" fill="var(--line)"/>' for x in (20, 38, 56)),
            f'<text class="dim" x="{width / 2:g}" y="22" text-anchor="middle">{escape(title)}</text>',
            f'<svg x="{EDGE}" y="{BAR}" width="{width - 2 * EDGE}" height="{inside}"><g class="film">',
            *(_frame(frame, lines, place * inside) for place, frame in enumerate(frames)),
            "</g></svg>",
            "</svg>\n",
        ]
    )


def _lines(frames: Iterable[Frame]) -> Iterator[tuple[Segment, ...]]:
    return (line for frame in frames for line in frame.lines if line)


def _keyframes(frames: Sequence[Frame], height: int) -> str:
    stops: list[str] = []
    tick, total = 0, sum(frame.ticks for frame in frames)
    for place, frame in enumerate(frames):
        stops.append(f"{_number(100 * tick / total, 3)}% {{ transform: translateY({-place * height}px) }}")
        tick += frame.ticks
    return "\n".join(stops)


def _frame(frame: Frame, lines: dict[tuple[Segment, ...], int], top: int) -> str:
    uses = (f'<use href="#l{lines[line]}" y="{row * LINE}"/>' for row, line in enumerate(frame.lines) if line)
    return f'<g transform="translate(0 {top})">{"".join(uses)}</g>'


def _drawn(line: Iterable[Segment]) -> Iterator[str]:
    column = 0
    for text, style, _ in line:
        for run in _RUN.finditer(text):
            yield _run(run, column + run.start(), style or Style.null())
        column += len(text)


def _run(run: re.Match[str], column: int, style: Style) -> str:
    text, left = run[0], column * CELL
    names = [*_names(style), *(["heavy"] if text[0] in _HEAVY else [])]
    shown = f' class="{" ".join(names)}"' if names else ""
    if not run["words"]:
        return f'<path{shown} d="{_outline(text, left)}"/>'
    at = f'x="{_number(left)}" y="14" textLength="{_number(len(text) * CELL)}"'
    return f"<text{shown} {at}>{escape(text, quote=False)}</text>"


def _outline(text: str, left: float) -> str:
    """A box's line as a path."""
    x, y = _number(left + CELL / 2), _number(LINE / 2)
    if text[0] in "─━":
        return f"M{_number(left)} {y}h{_number(len(text) * CELL)}"
    ends = {
        "l": f"{_number(left)} {y}",
        "r": f"{_number(left + CELL)} {y}",
        "u": f"{x} 0",
        "d": f"{x} {LINE}",
    }
    begin, end = (ends[arm] for arm in tuple(_ARMS[text]))
    return f"M{begin}{'L' if text in _HEAVY else 'Q'}{x} {y} {end}"


def _names(style: Style) -> list[str]:
    number = style.color.number if style.color else None
    colour = _COLOURS[number] if number is not None and number < len(_COLOURS) else ""
    flags = {"bold": style.bold, "dim": style.dim, "italic": style.italic, colour: colour}
    # A colour that stands back is drawn as plain text that does.
    return [name for name, on in flags.items() if on and not (style.dim and name == colour)]


def _number(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
