"""What the turn's rules say of the contract, and what else shows things. That they decide everything, and
that each can match, is a test of the machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from finalturn._core.model import ReasoningDelta, TextDelta
from tools.contractdocs.findings import Finding, kind
from tools.contractdocs.modules import SRC
from tools.contractdocs.project import Project

MACHINE = f"{SRC}_core/turn/"

MAKERS = ("StreamChunk", "content_chunk", "_seal")
MAY_MAKE = (f"{SRC}_core/chunks.py", MACHINE, f"{SRC}_contract/")
"""Where chunks may be made: the class itself, what the rules show, and what reads recorded chunks."""


@kind("FT20", "unclaimed-visibility")
def _unclaimed(project: Project) -> Iterator[Finding]:
    for rule in project.table:
        if rule.upholds or not (rule.shows or rule.on in (TextDelta, ReasoningDelta)):
            continue
        shown = ", ".join(getattr(show, "__name__", "something") for show in rule.shows)
        does = f"shows {shown}" if shown else f"decides that no {rule.on.__name__} is shown"
        what = f'rule "{rule.name}" {does}, and upholds no clause'
        file = f"{MACHINE}table.py"
        line = project.line_of(file, f'"{rule.name}"')
        yield Finding(file, line, what, "add it to UPHOLDS, or declare the clause that it keeps")


@kind("FT21", "clause-without-rule")
def _without_rule(project: Project) -> Iterator[Finding]:
    upheld = {clause for rule in project.table for clause in rule.upholds}
    for clause in project.clauses:
        if clause.id not in upheld and not clause.kept_by:
            what = f"{clause.id} is upheld by no rule of the turn's table, and kept by no module"
            remedy = "add it to UPHOLDS with the rules that keep it, or name the module in kept_by"
            yield project.at_clause(clause.id, what, remedy)


@kind("FT24", "emission-outside-table")
def _outside(project: Project) -> Iterator[Finding]:
    for file, text in project.files.items():
        if not file.startswith(SRC) or file.startswith(MAY_MAKE):
            continue
        tree = ast.parse(text) if any(maker in text for maker in MAKERS) else ast.Module([], [])
        imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
        names = {alias.asname or alias.name: alias.name for node in imports for alias in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (made := names.get(ast.unparse(node.func))) in MAKERS:
                remedy = "let a rule of the turn's table show it"
                yield Finding(file, node.lineno, f"makes a chunk with {made}(...)", remedy)
