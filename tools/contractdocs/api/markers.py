"""Markers and deprecations, as they stand in the text of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeGuard

LEVELS = ("stable", "beta")

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Mark:
    """A marker.

    Attributes:
        level: ``stable`` or ``beta``.
        since: as written, or ``NEXT``; "" when it is not given.
        fields: the markers of fields, parameters and methods that differ.
    """

    level: str
    since: str
    fields: Mapping[str, Mark] = field(default_factory=dict[str, "Mark"])


@lru_cache(maxsize=1024)
def marks(text: str) -> Mapping[str, Mark]:
    """The markers of a module's names, by qualified name."""
    found: dict[str, Mark] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found.update(_of_call(node.value))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found.update(_of_clause(node))
    for name, node in _definitions(text):
        for decorator in node.decorator_list:
            if _is_marker(decorator):
                found[name] = _mark(decorator)
    return found


@lru_cache(maxsize=1024)
def deprecations(text: str) -> Mapping[str, str]:
    """The messages of PEP 702's decorator, by qualified name; one that is no literal is as written."""
    found: dict[str, str] = {}
    for name, node in _definitions(text):
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call) and _last(decorator.func) == "deprecated" and decorator.args:
                found[name] = _literal(decorator.args[0])
    return found


def _definitions(text: str) -> Iterator[tuple[str, Definition]]:
    for node in ast.parse(text).body:
        if isinstance(node, Definition):
            yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, Definition))


def _of_call(call: ast.Call) -> Iterator[tuple[str, Mark]]:
    """``stable(...).constant(__name__, "X")`` and ``stable(...)(x)``."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "constant" and _is_marker(call.func.value):
        if len(call.args) == 2:
            yield _literal(call.args[1]), _mark(call.func.value)
    elif _is_marker(call.func) and call.args and isinstance(call.args[0], ast.Name):
        yield call.args[0].id, _mark(call.func)


def _of_clause(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, Mark]]:
    """A clause of the contract says its own level."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if (
        isinstance(node.value, ast.Call)
        and _last(node.value.func) == "Clause"
        and isinstance(target, ast.Name)
    ):
        given = {keyword.arg: keyword.value for keyword in node.value.keywords}
        if "stability" in given:
            yield target.id, Mark(_literal(given["stability"]), _since(given.get("since")))


def _is_marker(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and _last(node.func) in LEVELS


def _mark(call: ast.Call) -> Mark:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    fields = given.get("fields")
    pairs = zip(fields.keys, fields.values, strict=True) if isinstance(fields, ast.Dict) else ()
    differing = {_literal(key): _mark(value) for key, value in pairs if key is not None and _is_marker(value)}
    return Mark(_last(call.func), _since(given.get("since")), differing)


def _since(node: ast.expr | None) -> str:
    return "" if node is None else "NEXT" if _last(node) == "NEXT" else _literal(node)


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
