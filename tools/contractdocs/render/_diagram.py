"""The state diagram, as a small SVG that takes its colours from the page.

Where phases stand, and how arrows between them bend, is laid out by hand for the phases that there are. What
arrows there are, and what they say, comes from the table; an arrow without a layout is a straight line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from finalturn._core.turn import Phase, Table

Point = tuple[int, int]
Arrows = Mapping[tuple[Phase, Phase], list[str]]

WIDTH, HEIGHT = 456, 590
HALF_WIDTH, HALF_HEIGHT = 54, 17

PLACES: Mapping[Phase, Point] = {
    Phase.READY: (180, 30),
    Phase.CALLING: (180, 120),
    Phase.RUNNING: (76, 250),
    Phase.DECIDING: (272, 250),
    Phase.SYNTHESIZING: (380, 340),
    Phase.SAVING: (180, 430),
    Phase.DONE: (180, 520),
    Phase.FAILED: (320, 490),
    Phase.CANCELLED: (320, 550),
}
EVERYWHERE = (Phase.FAILED, Phase.CANCELLED)
"""Phases that can be entered from nearly everywhere: words say from where, instead of arrows."""

# A path, where its label stands, and how the label is anchored.
LAYOUT: Mapping[tuple[Phase, Phase], tuple[str, Point, str]] = {
    (Phase.READY, Phase.CALLING): ("M180 47 V101", (188, 79), "start"),
    (Phase.CALLING, Phase.CALLING): (
        "M138 137 C116 172 92 158 92 140 C92 126 106 121 123 121",
        (86, 146),
        "end",
    ),
    (Phase.CALLING, Phase.RUNNING): ("M150 137 C138 180 104 196 88 231", (104, 196), "end"),
    (Phase.RUNNING, Phase.CALLING): ("M112 233 C142 215 158 180 162 139", (186, 226), "end"),
    (Phase.RUNNING, Phase.RUNNING): (
        "M46 267 C40 300 14 292 14 268 C14 256 16 252 20 251",
        (10, 304),
        "start",
    ),
    (Phase.RUNNING, Phase.SAVING): ("M92 267 C98 340 116 385 146 411", (96, 362), "end"),
    (Phase.CALLING, Phase.SAVING): ("M192 137 V411", (198, 345), "start"),
    (Phase.CALLING, Phase.DECIDING): ("M208 137 C226 180 250 190 262 231", (240, 180), "start"),
    (Phase.CALLING, Phase.SYNTHESIZING): ("M234 120 C338 120 382 190 382 321", (362, 170), "start"),
    (Phase.DECIDING, Phase.SYNTHESIZING): ("M298 267 C312 295 326 310 350 322", (318, 292), "start"),
    (Phase.DECIDING, Phase.SAVING): ("M268 267 C264 330 242 380 207 412", (262, 338), "start"),
    (Phase.SYNTHESIZING, Phase.SYNTHESIZING): (
        "M402 323 C406 292 442 292 444 318 C444 328 442 332 437 336",
        (446, 292),
        "end",
    ),
    (Phase.SYNTHESIZING, Phase.SAVING): ("M362 357 C342 395 292 425 236 430", (336, 396), "start"),
    (Phase.SAVING, Phase.DONE): ("M180 447 V501", (188, 479), "start"),
}


def diagram(table: Table) -> str:
    """The figure, as a block of HTML without blank lines."""
    arrows = _arrows(table)
    drawn = {pair: names for pair, names in arrows.items() if pair[1] not in EVERYWHERE}
    said = "; ".join(f"{one.value} to {two.value}" for one, two in drawn)
    lines = [
        '<figure class="ft-machine">',
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="The phases of a turn: {said}">',
        '<defs><marker id="ft-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6"'
        ' orient="auto-start-reverse"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        *(_arrow(one, two, names) for (one, two), names in drawn.items()),
        *(_phase(phase) for phase in Phase),
        *_from_everywhere(arrows),
        "</svg>",
        "</figure>",
    ]
    return "\n".join(lines)


def _arrows(table: Table) -> Arrows:
    """The names of the rules between two phases, in the order of the phases."""
    order = list(Phase)
    found: dict[tuple[Phase, Phase], list[str]] = {}
    for rule in sorted(table, key=lambda rule: (order.index(rule.phase), order.index(rule.to))):
        found.setdefault((rule.phase, rule.to), []).append(rule.name)
    return found


def _arrow(one: Phase, two: Phase, names: list[str]) -> str:
    path, (x, y), anchor = LAYOUT.get((one, two)) or _straight(one, two)
    label = names[0] if len(names) == 1 else str(len(names))
    return (
        f'<path class="ft-arrow" d="{path}" marker-end="url(#ft-arrow)"/>'
        f'<text class="ft-label" x="{x}" y="{y}" text-anchor="{anchor}">{escape(label)}</text>'
    )


def _straight(one: Phase, two: Phase) -> tuple[str, Point, str]:
    (x1, y1), (x2, y2) = PLACES[one], PLACES[two]
    down = HALF_HEIGHT if y2 >= y1 else -HALF_HEIGHT
    return f"M{x1} {y1 + down} L{x2} {y2 - down}", ((x1 + x2) // 2 + 6, (y1 + y2) // 2), "start"


def _phase(phase: Phase) -> str:
    x, y = PLACES[phase]
    left, top = x - HALF_WIDTH, y - HALF_HEIGHT
    kind = "ft-end" if phase in (Phase.DONE, *EVERYWHERE) else "ft-phase"
    return (
        f'<a href="#{phase.value}"><rect class="{kind}" x="{left}" y="{top}" width="{2 * HALF_WIDTH}"'
        f' height="{2 * HALF_HEIGHT}" rx="8"/>'
        f'<text class="ft-name" x="{x}" y="{y + 5}" text-anchor="middle">{phase.value}</text></a>'
    )


def _from_everywhere(arrows: Arrows) -> Iterator[str]:
    for phase in EVERYWHERE:
        sources = [one for one, two in arrows if two is phase]
        missing = [one.value for one in Phase if one not in sources and one in {pair[0] for pair in arrows}]
        words = f"from all but {', '.join(missing)}" if missing else "from every phase"
        x, y = PLACES[phase]
        yield f'<text class="ft-label" x="{x}" y="{y + 31}" text-anchor="middle">{escape(words)}</text>'
