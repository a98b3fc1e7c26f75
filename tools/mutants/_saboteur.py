"""Saboteurs: deliberate wrongs that no small mutant is, in drivers, runners, codecs and the machine."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import CodeType

from finalturn._core.clauses import ClauseId
from tools.mutants._code import Unit, holder, site, swapped, unit, units
from tools.mutants._mutant import Mutant

BODY = "..."
"""As an edit's old text: the function's whole body."""


@dataclass(frozen=True)
class Edit:
    """Other code in one function.

    Attributes:
        function: the module and the function in it, such as ``agent._driver:Driver.next``.
        old: an expression or a statement of it, whatever its layout; or `BODY`.
        new: what stands there instead: an expression, or statements.
    """

    function: str
    old: str
    new: str


@dataclass(frozen=True)
class Saboteur:
    """A wrong, done on purpose.

    Attributes:
        name: what it does.
        clauses: the ids of those that must reject it: a proof of each must fail.
        edits: how it is done.
    """

    name: str
    clauses: tuple[ClauseId, ...]
    edits: tuple[Edit, ...]


@dataclass(frozen=True)
class Unfitting:
    """An edit whose old text is no longer there.

    Attributes:
        name: the saboteur's.
        file: where the text should be.
        line: of the function, or 1.
        old: the text.
    """

    name: str
    file: str
    line: int
    old: str


def mutants_of_saboteurs(saboteurs: Iterable[Saboteur]) -> Iterator[Mutant | Unfitting]:
    """A mutant for each saboteur and each clause that must reject it."""
    for saboteur in saboteurs:
        changes: dict[Unit, dict[ast.AST, ast.AST]] = {}
        unfitting = [
            Unfitting(saboteur.name, *_place(edit), edit.old)
            for edit in saboteur.edits
            if not _find(edit, changes)
        ]
        if unfitting:
            yield from unfitting
            continue
        codes = {one: one.changed(found) for one, found in changes.items()}
        first, found = next(iter(changes.items()))
        for clause in saboteur.clauses:
            yield Mutant(
                name=f"{saboteur.name} [{clause}]",
                file=first.file,
                line=getattr(next(iter(found)), "lineno", first.node.lineno),
                clauses=(clause,),
                install=lambda codes=codes: _installed(codes),  # type: ignore[misc]
                sites=frozenset(_sites(changes)),
                units=tuple(changes),
                pure=all(one.module.startswith("finalturn._core.turn.") for one in changes),
            )


def _installed(codes: Mapping[Unit, CodeType]) -> AbstractContextManager[None]:
    return swapped(list(codes.items()))


def _sites(changes: Mapping[Unit, Mapping[ast.AST, ast.AST]]) -> Iterator[str]:
    for one, found in changes.items():
        yield from (site(one, holder(one, old)) for old in found)


def _find(edit: Edit, changes: dict[Unit, dict[ast.AST, ast.AST]]) -> bool:
    """Add what the edit changes; whether there is anything."""
    module, _, name = edit.function.partition(":")
    wanted = unit(f"finalturn.{module}", name)
    candidates = [] if wanted is None else [wanted]
    if edit.old != BODY:
        # Where the function has been split, its text stands in another of the module.
        candidates += [one for one in units(f"finalturn.{module}") if one is not wanted]
    for one in candidates:
        if found := dict(_replacements(one, edit)):
            changes.setdefault(one, {}).update(found)
            return True
    return False


def _replacements(one: Unit, edit: Edit) -> Iterator[tuple[ast.AST, ast.AST]]:
    new = ast.parse(edit.new).body
    if edit.old == BODY:
        first, *rest = [part for part in one.node.body if not _is_docstring(part)]
        yield first, _block(new)
        yield from ((part, ast.Pass()) for part in rest)
        return
    (old,) = ast.parse(edit.old).body
    wanted = ast.dump(old.value if isinstance(old, ast.Expr) else old)
    for node in ast.walk(one.node):
        if ast.dump(node) != wanted:
            continue
        if isinstance(node, ast.stmt):
            yield node, _block(new)
        elif isinstance(new[0], ast.Expr) and len(new) == 1:
            yield node, copy.deepcopy(new[0].value)
        else:
            yield holder(one, node), _block(new)


def _block(statements: list[ast.stmt]) -> ast.stmt:
    return (
        copy.deepcopy(statements[0]) if len(statements) == 1 else ast.If(ast.Constant(True), statements, [])
    )


def _is_docstring(part: ast.stmt) -> bool:
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)


def _place(edit: Edit) -> tuple[str, int]:
    module, _, name = edit.function.partition(":")
    wanted = unit(f"finalturn.{module}", name)
    file = f"src/finalturn/{module.replace('.', '/')}.py"
    return file, 1 if wanted is None else wanted.node.lineno
