"""Markers, as they stand in the text of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
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
        match node:
            case ast.Expr(
                ast.Call(ast.Attribute(marker, "constant"), [_, ast.Constant(str(name))])
            ) | ast.Expr(ast.Call(marker, [ast.Name(name)])) if _is_marker(marker):
                found[name] = _mark(marker)
            case ast.Assign([ast.Name(name)], ast.Call(ast.Name("Clause")) as call) | ast.AnnAssign(
                ast.Name(name), value=ast.Call(ast.Name("Clause")) as call
            ):
                # A clause of the contract says its own level.
                given = _given(call)
                if "stability" in given:
                    found[name] = Mark(_literal(given["stability"]), _since(given.get("since")))
            case _:
                pass
    found |= {name: _mark(one) for name, one in _decorators(ast.parse(text).body) if _is_marker(one)}
    return found


def _decorators(body: Sequence[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Each decorator of a class, a function or a method, and the qualified name that it decorates."""
    for node in body:
        if isinstance(node, Definition):
            yield from ((f"{owner}{node.name}", decorator) for decorator in node.decorator_list)
        if isinstance(node, ast.ClassDef):
            yield from _decorators(node.body, f"{owner}{node.name}.")


def _is_marker(node: ast.expr) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and _last(node.func) in LEVELS


def _mark(call: ast.Call) -> Mark:
    given = _given(call)
    fields = given.get("fields")
    pairs = zip(fields.keys, fields.values, strict=True) if isinstance(fields, ast.Dict) else ()
    differing = {_literal(key): _mark(value) for key, value in pairs if key is not None and _is_marker(value)}
    return Mark(_last(call.func), _since(given.get("since")), differing)


def _given(call: ast.Call) -> dict[str | None, ast.expr]:
    return {keyword.arg: keyword.value for keyword in call.keywords}


def _since(node: ast.expr | None) -> str:
    return "" if node is None else "NEXT" if _last(node) == "NEXT" else _literal(node)


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
