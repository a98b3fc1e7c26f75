"""What the turn's rules say of the contract, and whether they decide everything that can happen."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import IGNORED, TABLE_INPUTS, Input, Phase, Rule
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project
from tools.contractdocs.kinds.code_trees import TABLE, place_of_rule

CALLS = ("CALLING", "SYNTHESIZING")
WORK = ("CALLING", "RUNNING", "DECIDING", "SYNTHESIZING", "SAVING")

EXPECTED: Mapping[str, tuple[str, ...]] = {
    "Started": ("READY",),
    "TextDelta": CALLS,
    "ReasoningDelta": CALLS,
    "Judged": CALLS,
    "ToolReturned": ("RUNNING",),
    "ToolsFinished": ("RUNNING",),
    "Decided": ("DECIDING",),
    "Saved": ("SAVING",),
    "Failed": WORK,
    "Cancelled": tuple(phase.name for phase in Phase),
}
"""The phases in which each input can come. In any other it is illegal: the driver is wrong."""

MAY_REFUSE: Mapping[tuple[str, str], str] = {
    ("RUNNING", "ToolReturned"): "a second outcome of one call is illegal, and so is one of no call",
    ("RUNNING", "ToolsFinished"): "a batch is not over while an outcome is missing",
}
"""Pairs of which every rule has a guard, each with the reason: without a match the input is illegal."""


def _unclaimed(project: Project) -> Iterator[Place]:
    for rule in project.table:
        if not rule.upholds and (rule.shows or rule.on in (TextDelta, ReasoningDelta)):
            what = f"shows {_names(rule)}" if rule.shows else f"decides that no {rule.on.__name__} is shown"
            yield at(*place_of_rule(project, rule.name), rule=rule.name, what=what)


def _names(rule: Rule) -> str:
    return ", ".join(getattr(show, "__name__", "something") for show in rule.shows)


def _without_rule(project: Project) -> Iterator[Place]:
    upheld = {clause for rule in project.table for clause in rule.upholds}
    for clause in project.clauses:
        if clause.id not in upheld and not clause.kept_by:
            yield at(*project.place_of_clause(clause.id), clause=clause.id)


def _undecided(project: Project) -> Iterator[Place]:
    ruled: dict[tuple[str, str], list[Rule]] = {}
    for rule in project.table:
        ruled.setdefault((rule.phase.name, rule.on.__name__), []).append(rule)
    ignored = {(phase.name, kind.__name__) for phase, kind in IGNORED}
    pairs = itertools.product([phase.name for phase in Phase], _inputs(project))
    for pair in pairs:
        phase, name = pair
        rules = ruled.get(pair, [])
        place = place_of_rule(project, rules[-1].name) if rules else (TABLE, _line_of_table(project))
        if name not in EXPECTED:
            yield at(*place, phase=phase, input=name, what="is of an input that nobody has decided on")
        elif phase not in EXPECTED[name] and (rules or pair in ignored):
            how = "ruled" if rules else "ignored"
            yield at(*place, phase=phase, input=name, what=f"is {how}, and declared illegal")
        elif phase in EXPECTED[name] and not rules and pair not in ignored:
            yield at(*place, phase=phase, input=name, what="can happen, and is neither ruled nor ignored")
        elif rules and rules[-1].when and pair not in MAY_REFUSE:
            yield at(*place, phase=phase, input=name, what="has a guard on its last rule: none may match")


def _inputs(project: Project) -> list[str]:
    known: dict[type[Input], None] = dict.fromkeys((*TABLE_INPUTS, *(rule.on for rule in project.table)))
    return [kind.__name__ for kind in known]


def _line_of_table(project: Project) -> int:
    return project.line_of(TABLE, "RULES: Table = (")


def _unreachable(project: Project) -> Iterator[Place]:
    for earlier, later in itertools.combinations(project.table, 2):
        if (earlier.phase, earlier.on) == (later.phase, later.on) and set(earlier.when) <= set(later.when):
            guards = " and ".join(getattr(guard, "__name__", "?") for guard in earlier.when)
            why = f"asks for no more than {guards}" if guards else "has no guard"
            place = place_of_rule(project, later.name)
            yield at(*place, rule=later.name, earlier=earlier.name, why=why)


def _unknown(project: Project) -> Iterator[Place]:
    known = {clause.id for clause in project.clauses}
    for rule in project.table:
        for clause in rule.upholds:
            if clause not in known:
                yield at(*place_of_rule(project, rule.name), rule=rule.name, clause=clause)


def _same_name(project: Project) -> Iterator[Place]:
    seen: set[str] = set()
    for rule in project.table:
        if rule.name in seen:
            yield at(*place_of_rule(project, rule.name), rule=rule.name)
        seen.add(rule.name)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT20",
        name="unclaimed-visibility",
        what='rule "{rule}" {what}, and upholds no clause',
        remedy="add it to UPHOLDS, or declare the clause that it keeps",
        why=(
            "What a person sees of a turn is what its rules show. A rule that decides about it and belongs to"
            " no clause can be changed without a test that fails."
        ),
        find=_unclaimed,
    ),
    Kind(
        code="FT21",
        name="clause-without-rule",
        what="{clause} is upheld by no rule of the turn's table, and kept by no module",
        remedy="add it to UPHOLDS with the rules that keep it, or name the module in kept_by",
        why=(
            "A promise that no code is bound to is kept by accident. Mutants of the code that keeps a clause"
            " are what shows that its tests would notice."
        ),
        find=_without_rule,
    ),
    Kind(
        code="FT22",
        name="undecided-pair",
        what="({phase}, {input}) {what}",
        remedy=(
            "add a rule, or a reason in IGNORED; what cannot happen stands in EXPECTED and MAY_REFUSE of"
            " tools/contractdocs/kinds/code_rules.py"
        ),
        why=(
            "Whatever can happen in a phase has been thought of once, and what cannot is an error of the"
            " driver. A pair that nobody decided on fails in front of a user."
        ),
        find=_undecided,
    ),
    Kind(
        code="FT23",
        name="unreachable-rule",
        what='rule "{rule}" can never match: "{earlier}" above it {why}',
        remedy="move it up, or delete it",
        why="The first rule that matches wins. One that never does looks like a decision, and is none.",
        find=_unreachable,
    ),
    Kind(
        code="FT28",
        name="unknown-upholds",
        what='rule "{rule}" upholds {clause}, which no clause declares',
        remedy="name a clause of finalturn.contract",
        why="The pages name for each clause the rules that keep it. An id of nothing hides that none does.",
        find=_unknown,
    ),
    Kind(
        code="FT2B",
        name="rule-named-twice",
        what='another rule above is called "{rule}" too',
        remedy="give each rule a name of its own",
        why="Errors, traces, pages and mutants name rules. Two of one name cannot be told apart.",
        find=_same_name,
    ),
)
