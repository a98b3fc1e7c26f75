"""What the turn's rules say of the contract, whether they decide everything, and what else shows things."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping

from finalturn._core import chunks, turn
from finalturn._core.model import ReasoningDelta, TextDelta
from finalturn._core.turn import IGNORED, TABLE_INPUTS, Phase, Rule
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.modules import SRC, file_of
from tools.contractdocs.project import Project

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
    "LimitReached": (*CALLS, "DECIDING"),
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

MACHINE = file_of(turn).rpartition("/")[0]
"""The folder of the machine."""


def _at_rule(project: Project, name: str, what: str, remedy: str) -> Finding:
    """A finding in the line that names a rule; in the machine's package where it is not written out."""
    for file, text in project.files.items():
        if file.startswith(f"{MACHINE}/") and (match := re.search(rf'["\']{re.escape(name)}["\']', text)):
            return Finding(file, text.count("\n", 0, match.start()) + 1, what, remedy)
    return Finding(f"{MACHINE}/__init__.py", 1, what, remedy)


@kind("FT20", "unclaimed-visibility")
def _unclaimed(project: Project) -> Iterator[Finding]:
    for rule in project.table:
        if not rule.upholds and (rule.shows or rule.on in (TextDelta, ReasoningDelta)):
            shown = ", ".join(getattr(show, "__name__", "something") for show in rule.shows)
            does = f"shows {shown}" if shown else f"decides that no {rule.on.__name__} is shown"
            what = f'rule "{rule.name}" {does}, and upholds no clause'
            remedy = "add it to UPHOLDS, or declare the clause that it keeps"
            yield _at_rule(project, rule.name, what, remedy)


@kind("FT21", "clause-without-rule")
def _without_rule(project: Project) -> Iterator[Finding]:
    upheld = {clause for rule in project.table for clause in rule.upholds}
    for clause in project.clauses:
        if clause.id not in upheld and not clause.kept_by:
            what = f"{clause.id} is upheld by no rule of the turn's table, and kept by no module"
            remedy = "add it to UPHOLDS with the rules that keep it, or name the module in kept_by"
            yield project.at_clause(clause.id, what, remedy)


@kind("FT22", "undecided-pair")
def _undecided(project: Project) -> Iterator[Finding]:
    remedy = (
        "add a rule, or a reason in IGNORED; what cannot happen stands in EXPECTED and MAY_REFUSE of"
        " tools/contractdocs/checks/rules.py"
    )
    ruled: dict[tuple[str, str], list[Rule]] = {}
    for rule in project.table:
        ruled.setdefault((rule.phase.name, rule.on.__name__), []).append(rule)
    ignored = {(phase.name, on.__name__) for phase, on in IGNORED}
    inputs = dict.fromkeys(on.__name__ for on in (*TABLE_INPUTS, *(rule.on for rule in project.table)))
    for pair in itertools.product([phase.name for phase in Phase], inputs):
        phase, name = pair
        rules = ruled.get(pair, [])
        if name not in EXPECTED:
            what = "is of an input that nobody has decided on"
        elif phase not in EXPECTED[name] and (rules or pair in ignored):
            what = f"is {'ruled' if rules else 'ignored'}, and declared illegal"
        elif phase in EXPECTED[name] and not rules and pair not in ignored:
            what = "can happen, and is neither ruled nor ignored"
        elif rules and rules[-1].when and pair not in MAY_REFUSE:
            what = "has a guard on its last rule: none may match"
        else:
            continue
        yield _at_rule(project, rules[-1].name if rules else "", f"({phase}, {name}) {what}", remedy)


@kind("FT23", "unreachable-rule")
def _unreachable(project: Project) -> Iterator[Finding]:
    for earlier, later in itertools.combinations(project.table, 2):
        if (earlier.phase, earlier.on) == (later.phase, later.on) and set(earlier.when) <= set(later.when):
            guards = " and ".join(getattr(guard, "__name__", "?") for guard in earlier.when)
            why = f"asks for no more than {guards}" if guards else "has no guard"
            what = f'rule "{later.name}" can never match: "{earlier.name}" above it {why}'
            yield _at_rule(project, later.name, what, "move it up, or delete it")


MAKERS = ("StreamChunk", "content_chunk", "_seal")
MAY_MAKE: Mapping[str, str] = {
    file_of(chunks): "the class itself",
    f"{MACHINE}/": "what the rules show",
    f"{SRC}_contract/": "reads recorded chunks from a file; nobody is shown them",
}
"""Files and folders in which chunks may be made, each with the reason."""


@kind("FT24", "emission-outside-table")
def _outside(project: Project) -> Iterator[Finding]:
    for file, text in project.files.items():
        if not file.startswith(SRC) or file.startswith(tuple(MAY_MAKE)):
            continue
        tree = ast.parse(text) if any(maker in text for maker in MAKERS) else ast.Module([], [])
        names = {
            alias.asname or alias.name: alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.name in MAKERS
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (made := names.get(ast.unparse(node.func))):
                remedy = "let a rule of the turn's table show it"
                yield Finding(file, node.lineno, f"makes a chunk with {made}(...)", remedy)
