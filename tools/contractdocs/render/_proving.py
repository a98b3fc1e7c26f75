"""Which tests say that they prove a clause, read from their source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tools.contractdocs.render import _source


@dataclass(frozen=True, order=True)
class ProvingTest:
    """A test, by file and name."""

    file: str
    name: str


def proving_tests(files: Mapping[str, str]) -> dict[str, tuple[ProvingTest, ...]]:
    """By id of a clause, the tests that carry it, sorted."""
    found: dict[str, set[ProvingTest]] = {}
    for file, text in files.items():
        if file.startswith("tests/contract/test_") and file.endswith(".py"):
            for clause, name in _claims(_source.parse(text)):
                found.setdefault(clause, set()).add(ProvingTest(file, name))
    return {clause: tuple(sorted(tests)) for clause, tests in sorted(found.items())}


def _claims(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and _name(decorator.func) == "proves":
                yield from ((_clause(_name(one)), node.name) for one in decorator.args)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _clause(constant: str) -> str:
    """A clause is exported under its id, in capitals."""
    return constant.lower().replace("_", "-")
