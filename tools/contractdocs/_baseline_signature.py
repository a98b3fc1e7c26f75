"""What a signature of the API report says, taken apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

Passing: TypeAlias = Literal["positional", "either", "keyword", "*", "**"]
"""How an argument is passed."""


@dataclass(frozen=True)
class Parameter:
    """One parameter, or a field; what is not written is ""."""

    name: str
    passing: Passing
    annotation: str = ""
    default: str = ""


@dataclass(frozen=True)
class Call:
    """One way to call something."""

    parameters: tuple[Parameter, ...]
    returns: str
    decorators: str

    def named(self, name: str) -> Parameter | None:
        """The parameter of a name."""
        return next((one for one in self.parameters if one.name == name), None)


@dataclass(frozen=True)
class Signature:
    """All of it.

    Attributes:
        bases: of a class.
        decorators: of a class.
        calls: how it can be called: one for each overload.
        annotation: of a field, property or constant.
        value: of an alias, an enum's member or a constant; the default of a field.
    """

    bases: tuple[str, ...] = ()
    decorators: str = ""
    calls: tuple[Call, ...] = field(default=())
    annotation: str = ""
    value: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The strings of a literal, wherever it stands."""
        return literals(self.value) or literals(self.annotation)


@lru_cache(maxsize=4096)
def signature(text: str) -> Signature:
    """Read a signature; what cannot be read is its value, as written."""
    bases: tuple[str, ...] = ()
    decorators = ""
    calls: list[Call] = []
    for line in text.split("\n"):
        before, found, rest = re.match(r"((?:@\S+(?:\([^)]*\))? )*)(class )?(.*)", line, re.DOTALL).groups()  # type: ignore[union-attr]
        if found:
            node = _parsed(f"class {rest}: ...")
            bases = tuple(ast.unparse(base) for base in node.bases) if isinstance(node, ast.ClassDef) else ()
            decorators = before.strip()
            continue
        node = _parsed(f"{rest}: ..." if re.match(r"(async )?def ", rest) else f"def {rest}: ...")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            kind = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
            returns = ast.unparse(node.returns) if node.returns else ""
            calls.append(Call(tuple(_parameters(node.args)), returns, f"{before}{kind}".strip()))
    if bases or decorators or calls or re.search(r"(^|\n)(@.* )?class ", text):
        return Signature(bases, decorators, tuple(calls))
    node = _parsed(text)
    if isinstance(node, ast.AnnAssign):
        return Signature(
            annotation=ast.unparse(node.annotation), value=ast.unparse(node.value) if node.value else ""
        )
    if isinstance(node, ast.Assign):
        return Signature(value=ast.unparse(node.value))
    return Signature(value=text)


def _parsed(text: str) -> ast.stmt | None:
    try:
        return ast.parse(text).body[0]
    except SyntaxError:
        return None


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    ordered = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(ordered) - len(arguments.defaults)) + list(arguments.defaults)
    for number, (one, default) in enumerate(zip(ordered, defaults, strict=True)):
        yield _parameter(one, "positional" if number < len(arguments.posonlyargs) else "either", default)
    if arguments.vararg:
        yield _parameter(arguments.vararg, "*", None)
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(one, "keyword", default)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, "**", None)


def _parameter(one: ast.arg, passing: Passing, default: ast.expr | None) -> Parameter:
    annotation = ast.unparse(one.annotation) if one.annotation else ""
    return Parameter(one.arg, passing, annotation, ast.unparse(default) if default else "")


def literals(annotation: str) -> tuple[str, ...]:
    """The strings of every ``Literal`` in an annotation."""
    if "Literal[" not in annotation:
        return ()
    try:
        tree = ast.parse(annotation, mode="eval")
    except SyntaxError:
        return ()
    return tuple(
        part.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Subscript) and ast.unparse(one.value) == "Literal"
        for part in ast.walk(one.slice)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def options(annotation: str) -> tuple[str, ...]:
    """The members of a union, as written; a ``Literal`` of several values is a union of them."""
    try:
        node = ast.parse(annotation, mode="eval").body
    except SyntaxError:
        return (annotation,)
    return tuple(_options(node))


def _options(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _options(node.left)
        yield from _options(node.right)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        yield from (f"Literal[{ast.unparse(value)}]" for value in values)
    else:
        yield ast.unparse(node)
