"""The page of the turn's table of rules, with its diagram, and rules for programs.

The diagram is a small SVG that takes its colours from the page. Where phases stand, and how arrows bend, is
laid out by hand; what arrows there are, and what they say, comes from the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from finalturn._core.turn import IGNORED, Phase, Rule, Table
from tools.contractdocs.project import Project
from tools.contractdocs.render.contract import clause_path, words
from tools.contractdocs.render.page import LAYOUT, link, page, table, words_of

Arrows = Mapping[tuple[Phase, Phase], list[str]]

WIDTH, HEIGHT = 456, 590
HALF_WIDTH, HALF_HEIGHT = 54, 17

EVERYWHERE = (Phase.FAILED, Phase.CANCELLED)
"""Phases that can be entered from nearly everywhere: words say from where, instead of arrows."""


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
        *(_box(phase) for phase in Phase),
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
    path, x, y, anchor = LAYOUT["arrows"].get(f"{one.name} {two.name}") or _straight(one, two)
    label = names[0] if len(names) == 1 else str(len(names))
    return (
        f'<path class="ft-arrow" d="{path}" marker-end="url(#ft-arrow)"/>'
        f'<text class="ft-label" x="{x}" y="{y}" text-anchor="{anchor}">{escape(label)}</text>'
    )


def _straight(one: Phase, two: Phase) -> tuple[str, int, int, str]:
    (x1, y1), (x2, y2) = LAYOUT["places"][one.name], LAYOUT["places"][two.name]
    down = HALF_HEIGHT if y2 >= y1 else -HALF_HEIGHT
    return f"M{x1} {y1 + down} L{x2} {y2 - down}", (x1 + x2) // 2 + 6, (y1 + y2) // 2, "start"


def _box(phase: Phase) -> str:
    x, y = LAYOUT["places"][phase.name]
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
        x, y = LAYOUT["places"][phase.name]
        yield f'<text class="ft-label" x="{x}" y="{y + 31}" text-anchor="middle">{escape(words)}</text>'


PATH = "contract/machine.md"


def machine_page(project: Project) -> str:
    """The page."""
    parts = [
        words_of("machine_intro"),
        diagram(project.table),
        "Every arrow is one or more of the rules below. A number counts them.",
    ]
    for phase in Phase:
        parts += _phase(phase, project)
    parts += [
        "## Everything else",
        words_of("machine_ending"),
    ]
    return page("The machine", "To see which rule of a turn shows, does and upholds what.", parts, wide=True)


def _phase(phase: Phase, project: Project) -> Iterator[str]:
    rules = [rule for rule in project.table if rule.phase is phase]
    ignored = [(on.__name__, why) for (one, on), why in IGNORED.items() if one is phase]
    if not rules and not ignored:
        return
    yield f"## {phase.value}"
    yield LAYOUT["phases"][phase.name]
    if rules:
        yield table(
            ("rule, on input", "guards", "next", "shows", "does", "upholds"),
            (_row(rule, project) for rule in rules),
        )
    for name, why in sorted(ignored):
        yield f"`{name}` is ignored: {why}."


def _row(rule: Rule, project: Project) -> tuple[str, ...]:
    pages = {clause.id: clause_path(clause) for clause in project.clauses}
    upholds = [link(one, pages[one], PATH) if one in pages else f"`{one}`" for one in rule.upholds]
    return (
        f"`{rule.name}`{{ #rule-{rule.name} }}<br>on `{rule.on.__name__}`",
        ", ".join(words(rule.when)),
        rule.to.value,
        ", ".join(words(rule.shows)),
        ", ".join(words(rule.does)),
        ", ".join(upholds),
    )
