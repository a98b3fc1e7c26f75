"""Fills ``NEXT`` in with a version, in source text and in clauses."""

from __future__ import annotations

import ast
from dataclasses import replace

from finalturn.contract import Clause
from finalturn.stability import NEXT

FIELDS = ("since", "revised")


def filled(text: str, version: str) -> str:
    """A source file with every ``since=NEXT`` and ``revised=NEXT`` filled in.

    An import that is no longer used goes with them. Nothing else is touched.
    """
    if "NEXT" not in text:
        return text
    values = [
        keyword.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg in FIELDS and _is_next(keyword.value)
    ]
    new = _replaced(text, values, f'"{version}"')
    return _without_import(new) if values else text


def _is_next(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id == "NEXT") or (
        isinstance(node, ast.Attribute) and node.attr == "NEXT"
    )


def _replaced(text: str, nodes: list[ast.expr], new: str) -> str:
    lines = text.split("\n")
    for node in sorted(nodes, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        line = lines[node.lineno - 1].encode()
        end = node.end_col_offset or node.col_offset
        lines[node.lineno - 1] = (line[: node.col_offset] + new.encode() + line[end:]).decode()
    return "\n".join(lines)


def _without_import(text: str) -> str:
    """Without an import of ``NEXT`` that nothing uses."""
    tree = ast.parse(text)
    used = any(isinstance(node, ast.Name) and node.id == "NEXT" for node in ast.walk(tree))
    exported = any(isinstance(node, ast.Constant) and node.value == "NEXT" for node in ast.walk(tree))
    imports = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and any(alias.name == "NEXT" and not alias.asname for alias in node.names)
    ]
    if used or exported or not imports:
        return text
    lines = text.split("\n")
    for node in sorted(imports, key=lambda one: one.lineno, reverse=True):
        kept = [alias for alias in node.names if alias.name != "NEXT"]
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        lines[first:last] = _import(node, kept, lines[first:last]) if kept else []
    return "\n".join(lines)


def _import(node: ast.ImportFrom, kept: list[ast.alias], old: list[str]) -> list[str]:
    names = [alias.name + (f" as {alias.asname}" if alias.asname else "") for alias in kept]
    indent = " " * node.col_offset
    if len(old) == 1:
        return [f"{indent}from {node.module} import {', '.join(names)}"]
    return [f"{indent}from {node.module} import (", *(f"{indent}    {name}," for name in names), f"{indent})"]


def released(clauses: tuple[Clause, ...], version: str) -> tuple[Clause, ...]:
    """The clauses, as the filled source declares them."""
    return tuple(_released(clause, version) for clause in clauses)


def _released(clause: Clause, version: str) -> Clause:
    deprecation = clause.deprecation
    if deprecation is not None and deprecation.since == NEXT:
        deprecation = replace(deprecation, since=version)
    return replace(
        clause,
        since=version if clause.since == NEXT else clause.since,
        revised=version if clause.revised == NEXT else clause.revised,
        deprecation=deprecation,
    )
