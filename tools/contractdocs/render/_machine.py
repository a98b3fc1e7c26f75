"""The page of the turn's table of rules."""

from __future__ import annotations

from collections.abc import Iterator

from finalturn.core.turn import IGNORED, Phase, Rule
from tools.contractdocs.project import Project
from tools.contractdocs.render._clause_pages import clause_path
from tools.contractdocs.render._diagram import diagram
from tools.contractdocs.render._page import link, page, table
from tools.contractdocs.render._rules import words

PATH = "contract/machine.md"

INTRO = """\
A turn is a walk through phases. In each phase one thing is being done. What comes of it is an *input*; the
first rule of that phase and input whose guards all hold says what is shown, what is done next, and where the
turn goes.

Whether anything is visible is decided here and nowhere else. A rule whose *shows* is empty is silent."""

ENDING = """\
A pair of phase and input without a rule is either ignored, for the reason given above, or illegal: it raises
`ProtocolError`, and nothing changes. Rules of one phase and input are tried from top to bottom."""

PHASES = {
    Phase.READY: "The turn has not begun.",
    Phase.CALLING: "A call of the tool loop is under way.",
    Phase.RUNNING: "A batch of tools is running.",
    Phase.DECIDING: "`should_finalize` is being asked.",
    Phase.SYNTHESIZING: "A silent call makes the object.",
    Phase.SAVING: "The turn is over, and goes into its session.",
    Phase.DONE: "The result has been delivered.",
    Phase.FAILED: "The exception has been raised.",
    Phase.CANCELLED: "The consumer has left.",
}


def machine_page(project: Project) -> str:
    """The page."""
    parts = [
        INTRO,
        diagram(project.table),
        "Every arrow is one or more of the rules below. A number counts them.",
    ]
    for phase in Phase:
        parts += _phase(phase, project)
    parts += [
        "## Everything else",
        ENDING,
    ]
    return page("The machine", "To see which rule of a turn shows, does and upholds what.", parts, wide=True)


def _phase(phase: Phase, project: Project) -> Iterator[str]:
    rules = [rule for rule in project.table if rule.phase is phase]
    ignored = [(on.__name__, why) for (one, on), why in IGNORED.items() if one is phase]
    if not rules and not ignored:
        return
    yield f"## {phase.value}"
    yield PHASES.get(phase, "")
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
