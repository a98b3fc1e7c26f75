"""The functions of a module as syntax trees, and their code replaced while the program runs.

Code is replaced inside the function object, so that every name bound to it by an import, every row of the
table and every thread sees the other code, and none has to be patched where it is used.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import importlib
import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[2]
_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
FLAGS = __future__.annotations.compiler_flag

Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Unit:
    """A function or method of a module.

    Attributes:
        module: the dotted name.
        file: its path from the root of the repository.
        name: the qualified name, such as ``Driver.next``.
        node: its definition.
        top: the statement of the module that holds it: itself, or its class.
        function: what runs.
    """

    module: str
    file: str
    name: str
    node: Definition
    top: ast.stmt
    function: FunctionType

    def changed(self, changes: Mapping[ast.AST, ast.AST]) -> CodeType:
        """Its code with some nodes of the tree replaced.

        A generator stays one without its ``yield``: a function takes no code of another kind.
        """
        found = self._compiled(changes)
        if found.co_flags & _KINDS == self.function.__code__.co_flags & _KINDS:
            return found
        never = ast.parse("if False:\n    yield").body[0]
        return self._compiled({**changes, self.node: _with(self.node, changes, never)})

    def _compiled(self, changes: Mapping[ast.AST, ast.AST]) -> CodeType:
        memo: dict[int, Any] = {id(old): new for old, new in changes.items()}
        tree = ast.Module([copy.deepcopy(self.top, memo)], [])
        code = compile(
            ast.fix_missing_locations(tree), str(ROOT / self.file), "exec", FLAGS, dont_inherit=True
        )
        return find(code, self.name)


@functools.cache
def units(module: str) -> tuple[Unit, ...]:
    """The functions of a module and the methods of its classes."""
    loaded = importlib.import_module(module)
    path = Path(str(loaded.__file__))
    file = path.relative_to(ROOT).as_posix()
    found: list[Unit] = []
    for top in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(top, Definition):
            found += _unit(module, file, top.name, top, top, vars(loaded).get(top.name))
        elif isinstance(top, ast.ClassDef):
            members = vars(vars(loaded)[top.name]) if top.name in vars(loaded) else {}
            for node in top.body:
                if isinstance(node, Definition):
                    name = f"{top.name}.{node.name}"
                    found += _unit(module, file, name, node, top, members.get(node.name))
    return tuple(found)


def unit(module: str, name: str) -> Unit | None:
    """The function of this name."""
    return next((one for one in units(module) if one.name == name), None)


@contextmanager
def swapped(codes: Sequence[tuple[Unit, CodeType]]) -> Iterator[None]:
    """Let functions run other code."""
    before = [(one.function, one.function.__code__) for one, _ in codes]
    try:
        for one, code in codes:
            one.function.__code__ = code
        yield
    finally:
        for function, old in before:
            function.__code__ = old


def statements(node: Definition) -> list[ast.stmt]:
    """The statements of a function, those of its blocks included; not its docstring."""
    found = [one for one in ast.walk(node) if isinstance(one, ast.stmt) and one is not node]
    found.sort(key=lambda one: (one.lineno, one.col_offset))
    return [one for one in found if not _is_docstring(one)]


def site(one: Unit, statement: ast.stmt) -> str:
    """The name of a statement as something that a run reaches."""
    return f"{one.file} {one.name} {statements(one.node).index(statement)}"


def holder(one: Unit, node: ast.AST) -> ast.stmt:
    """The innermost statement that a node is part of."""
    holders = [s for s in statements(one.node) if s is node or any(child is node for child in ast.walk(s))]
    return holders[-1]


def _unit(
    module: str, file: str, name: str, node: Definition, top: ast.stmt, member: object
) -> Iterator[Unit]:
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, (classmethod, staticmethod)):
        member = member.__func__
    function: object = inspect.unwrap(member) if callable(member) else None
    if isinstance(function, FunctionType) and function.__code__.co_qualname == name:
        yield Unit(module, file, name, node, top, function)


def find(code: CodeType, name: str) -> CodeType:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_qualname == name:
                return const
            if name.startswith(f"{const.co_qualname}."):
                return find(const, name)
    raise LookupError(name)


def _with(node: Definition, changes: Mapping[ast.AST, ast.AST], last: ast.stmt) -> Definition:
    """A copy of a definition, changed, with one more statement at its end."""
    memo: dict[int, Any] = {id(old): new for old, new in changes.items()}
    copied = copy.deepcopy(node, memo)
    copied.body.append(last)
    return copied


def _is_docstring(one: ast.stmt) -> bool:
    return (
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) and isinstance(one.value.value, str)
    )
