"""A film of a terminal as one SVG that needs nothing else: no script, no font, no other file.

The frames lie one below the other, and a style sheet moves them past a window. A viewer that wants no motion, or
knows none, shows one of them. Colours are those of a light or a dark ground, whichever the viewer prefers.
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

# The lines that boxes are drawn with, and where they lead from the middle of their cell. Fonts leave gaps between
# them, so that they are drawn as lines.
_ARMS = {
    **{"─": "lr", "│": "ud", "╭": "dr", "╮": "dl", "╰": "ur", "╯": "ul"},
    **{"━": "lr", "┃": "ud", "┏": "dr", "┓": "dl", "┗": "ur", "┛": "ul"},
}
_HEAVY = frozenset("━┃┏┓┗┛")
_RUN = re.compile(rf"(?P<rule>([─━])\2*)|(?P<box>[{''.join(_ARMS)}])|(?P<words>[^\s{''.join(_ARMS)}]+(?: [^\s{''.join(_ARMS)}]+)*)")

_STYLE = """\
:root { --ground: #ffffff; --bar: #f0f3f6; --line: #d0d7de; --text: #1f2328; --soft: #59636e; --red: #cf222e;
  --green: #1a7f37; --yellow: #8a5a00; --blue: #0550ae; --magenta: #7d3fc9; --cyan: #0b6e84 }
@media (prefers-color-scheme: dark) {
  :root { --ground: #161b22; --bar: #21262d; --line: #3d444d; --text: #e6edf3; --soft: #9ea7b3; --red: #ff7b72;
    --green: #56d364; --yellow: #e3b341; --blue: #79c0ff; --magenta: #d2a8ff; --cyan: #56d4dd }
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
    width = round(COLUMNS * CELL + 2 * EDGE)
    inside = max(len(frame.lines) for frame in frames) * LINE + EDGE
    height = inside + BAR
    lines = {line: number for number, line in enumerate(dict.fromkeys(_lines(frames)))}
    total = sum(frame.ticks for frame in frames)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title text">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="text">{escape(frames[still].text.strip())}</desc>',
            f"<style>\n{_STYLE}.film {{ transform: translateY({-still * inside}px) }}",
            "@media (prefers-reduced-motion: no-preference) {",
            f"  .film {{ animation: film {total / TICKS_A_SECOND:g}s step-end infinite }}",
            f"}}\n@keyframes film {{\n{_keyframes(frames, inside, total)}\n}}\n</style>",
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
            "</g></svg>\n</svg>\n",
        ]
    )


def _lines(frames: Iterable[Frame]) -> Iterator[tuple[Segment, ...]]:
    return (line for frame in frames for line in frame.lines if line)


def _keyframes(frames: Sequence[Frame], height: int, total: int) -> str:
    stops: list[str] = []
    tick = 0
    for place, frame in enumerate(frames):
        stops.append(f"{_number(100 * tick / total, 3)}% {{ transform: translateY({-place * height}px) }}")
        tick += frame.ticks
    return "\n".join(stops)


def _frame(frame: Frame, lines: dict[tuple[Segment, ...], int], top: int) -> str:
    uses = (
        f'<use href="#l{lines[line]}" y="{row * LINE}"/>' for row, line in enumerate(frame.lines) if line
    )
    return f'<g transform="translate(0 {top})">{"".join(uses)}</g>'


def _drawn(line: Iterable[Segment]) -> Iterator[str]:
    column = 0
    for text, style, _ in line:
        for run in _RUN.finditer(text):
            yield _run(run, column + run.start(), style or Style.null())
        column += len(text)


def _run(run: re.Match[str], column: int, style: Style) -> str:
    text, left = run[0], column * CELL
    names = _names(style)
    if run["words"]:
        shown = f' class="{" ".join(names)}"' if names else ""
        wide = _number(len(text) * CELL)
        return f'<text{shown} x="{_number(left)}" y="14" textLength="{wide}">{escape(text, quote=False)}</text>'
    if text[0] in _HEAVY:
        names.append("heavy")
    shown = f' class="{" ".join(names)}"' if names else ""
    return f'<path{shown} d="{_outline(text, left)}"/>'


def _outline(text: str, left: float) -> str:
    """A box's line as a path."""
    x, right = _number(left + CELL / 2), _number(left + CELL)
    ends = {"l": f"{_number(left)} {LINE / 2}", "r": f"{right} {LINE / 2}", "u": f"{x} 0", "d": f"{x} {LINE}"}
    if text[0] in "─━":
        return f"M{ends['l']}h{_number(len(text) * CELL)}"
    begin, end = _ARMS[text]
    middle = f"{x} {LINE / 2}"
    return f"M{ends[begin]}{'L' if text in _HEAVY else 'Q'}{middle} {ends[end]}"


def _names(style: Style) -> list[str]:
    number = style.color.number if style.color else None
    colour = _COLOURS[number] if number is not None and number < len(_COLOURS) else ""
    flags = {"bold": style.bold, "dim": style.dim, "italic": style.italic, colour: colour}
    # A colour that stands back is drawn as plain text that does.
    return [name for name, on in flags.items() if on and not (style.dim and name == colour)]


def _number(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
