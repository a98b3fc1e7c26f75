"""What a mutant is, and how a function runs other code while the program goes on.

Code is replaced inside the function object. So every name bound to it by an import, every row of the table
and every thread sees the other code, and none has to be patched where it is used.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, TypeAlias

ROOT = Path(__file__).parents[2]
KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
"""The flags of a code object that a replacement must share: callers ask a function whether it is async."""

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
        """Its code with some nodes of the tree replaced. A generator stays one without its ``yield``."""
        code = self.compiled(_copied(self.top, changes))
        if code.co_flags & KINDS == self.function.__code__.co_flags & KINDS:
            return code
        definition = _copied(self.node, changes)
        definition.body.append(ast.parse("if False:\n    yield").body[0])
        return self.compiled(_copied(self.top, {**changes, self.node: definition}))

    def compiled(self, top: ast.stmt) -> CodeType:
        """Its code in a changed copy of the statement that holds it."""
        tree = ast.fix_missing_locations(ast.Module([top], []))
        flags = __future__.annotations.compiler_flag
        return _inner(compile(tree, str(ROOT / self.file), "exec", flags, dont_inherit=True), self.name)


@dataclass(frozen=True)
class Mutant:
    """One broken variant of finalturn.

    Attributes:
        name: what is mutated, and how; unique.
        file: where that stands, from the root of the repository.
        line: 1-based.
        clauses: the ids of those that it breaks; a proof of one of them must fail.
        install: puts it in place while the context is open.
        sites: what a run must reach for the mutant to change anything: rules and statements, see `Recorder`.
        units: the functions that are mutated.
        pure: it is the same under every driver and kind of provider.
        rule: the rule that is mutated; "" where it is no rule.
    """

    name: str
    file: str
    line: int
    clauses: tuple[str, ...]
    install: Callable[[], AbstractContextManager[object]]
    sites: frozenset[str]
    units: tuple[Unit, ...] = ()
    pure: bool = False
    rule: str = ""

    def concerns(self, reached: frozenset[str]) -> bool:
        """Whether a run that reached these sites can differ on the mutant."""
        return not self.sites.isdisjoint(reached)


@functools.cache
def units(module: str) -> tuple[Unit, ...]:
    """The functions of a module and the methods of its classes."""
    loaded = importlib.import_module(module)
    path = Path(str(loaded.__file__))
    file = path.relative_to(ROOT).as_posix()
    result: list[Unit] = []
    for top in ast.parse(path.read_text(encoding="utf-8")).body:
        members = vars(loaded)
        prefix, nodes = "", [top]
        if isinstance(top, ast.ClassDef) and top.name in members:
            prefix, nodes, members = f"{top.name}.", top.body, vars(members[top.name])
        for node in nodes:
            if isinstance(node, Definition):
                function = _function(members.get(node.name), name := prefix + node.name)
                if function is not None:
                    result.append(Unit(module, file, name, node, top, function))
    return tuple(result)


def unit_at(path: str) -> Unit:
    """The function at a path such as ``finalturn._agent.driver:Driver.next``.

    Raises:
        LookupError: there is none.
    """
    module, _, name = path.partition(":")
    unit = next((unit for unit in units(module) if unit.name == name), None)
    if unit is None:
        raise LookupError(f"a mutant replaces {path}, which does not exist -> name what does its work now")
    return unit


@contextmanager
def swapped(codes: Sequence[tuple[Unit, CodeType]]) -> Iterator[None]:
    """Let functions run other code."""
    before = [(unit.function, unit.function.__code__) for unit, _ in codes]
    try:
        for unit, code in codes:
            unit.function.__code__ = code
        yield
    finally:
        for function, old in before:
            function.__code__ = old


def statements(node: Definition) -> list[ast.stmt]:
    """The statements of a function, those of its blocks included; not its docstring."""
    every = [part for part in ast.walk(node) if isinstance(part, ast.stmt) and part is not node]
    every.sort(key=lambda part: (part.lineno, part.col_offset))
    return every[1:] if ast.get_docstring(node, clean=False) is not None else every


def site(unit: Unit, statement: ast.stmt) -> str:
    """The name of a statement as something that a run reaches."""
    return f"{unit.file} {unit.name} {statements(unit.node).index(statement)}"


def rule_site(name: str) -> str:
    """The name of a rule of the table as something that a run reaches."""
    return f"rule {name}"


def _function(member: object, name: str) -> FunctionType | None:
    if isinstance(member, property):
        member = member.fget
    if isinstance(member, (classmethod, staticmethod)):
        member = member.__func__
    function: object = inspect.unwrap(member) if callable(member) else None
    matches = isinstance(function, FunctionType) and function.__code__.co_qualname == name
    return function if matches else None  # type: ignore[return-value]


def _inner(code: CodeType, name: str) -> CodeType:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            if const.co_qualname == name:
                return const
            if name.startswith(f"{const.co_qualname}."):
                return _inner(const, name)
    raise LookupError(name)


def _copied(node: Any, changes: Mapping[ast.AST, ast.AST]) -> Any:
    memo: dict[int, Any] = {id(old): new for old, new in changes.items()}
    return copy.deepcopy(node, memo)
