"""Where the rules of the table stand, and which functions they are made of."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType

from finalturn._core.turn import Phase, Table
from finalturn._support.public_home import defined_in
from tools.mutants._code import ROOT

RULES = "src/finalturn/_core/turn"


def places_of_rules(table: Table, root: Path = ROOT) -> Mapping[str, tuple[str, int]]:
    """The file and line of each rule, by its name. A rule that nobody wrote out has that of the table."""
    written = {
        name: (file.relative_to(root).as_posix(), line)
        for file in sorted((root / RULES).glob("_rules*.py"))
        for name, line in _rules_in(file)
    }
    return {rule.name: written.get(rule.name, (f"{RULES}/_table.py", 1)) for rule in table}


def places_of_clauses(root: Path = ROOT) -> Mapping[str, tuple[str, int]]:
    """The file and line of each clause's declaration, by its id."""
    return {
        str(keyword.value.value): (file.relative_to(root).as_posix(), keyword.value.lineno)
        for file in sorted((root / "src/finalturn/contract").glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Clause"
        for keyword in node.keywords
        if keyword.arg == "id" and isinstance(keyword.value, ast.Constant)
    }


def clauses_of_functions(table: Table) -> Mapping[object, tuple[str, ...]]:
    """For each function that rules are made of, those that it calls included, what these rules uphold."""
    found: dict[FunctionType, dict[str, None]] = {}
    for rule in table:
        for part in (*rule.when, *rule.updates, *rule.shows, *rule.does):
            if isinstance(part, FunctionType):
                for function in _reachable(part):
                    found.setdefault(function, {}).update(dict.fromkeys(rule.upholds))
    return {function: tuple(clauses) for function, clauses in found.items()}


def _rules_in(file: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Rule":
            for keyword in node.keywords:
                if keyword.arg == "name":
                    yield from ((name, keyword.value.lineno) for name in _names(keyword.value))


def _names(value: ast.expr) -> Iterator[str]:
    """A rule's name; of one for each phase, all of them."""
    if isinstance(value, ast.Constant):
        yield str(value.value)
    elif isinstance(value, ast.JoinedStr):
        ends = "".join(str(part.value) for part in value.values if isinstance(part, ast.Constant))
        yield from (f"{phase.value}{ends}" for phase in Phase)


def _reachable(function: FunctionType) -> set[FunctionType]:
    found = {function}
    waiting = [function]
    while waiting:
        one = waiting.pop()
        for name in _names_in(one.__code__):
            other = one.__globals__.get(name)
            if (
                inspect.isfunction(other)
                and other not in found
                and defined_in(other).startswith("finalturn._core")
            ):
                found.add(other)
                waiting.append(other)
    return found


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _names_in(const)
