"""Facts read from source files, without running them: constants, defaults, literals, enums."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache


@lru_cache(maxsize=512)
def parse(text: str) -> ast.Module:
    """The syntax tree of a file's text. It is shared: do not change it."""
    return ast.parse(text)


def constant(files: Mapping[str, str], file: str, name: str) -> object:
    """The value of a constant whose value is written out."""
    return _value(_assigned(parse(files[file]), file, name))


def _value(node: ast.expr) -> object:
    """A literal, or a product of literals."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return ast.literal_eval(node.left) * ast.literal_eval(node.right)
    found: object = ast.literal_eval(node)
    return found


def strings(files: Mapping[str, str], file: str, name: str) -> tuple[str, ...]:
    """The strings of a tuple or a list, or the keys of a dictionary; ``*OTHER`` is looked up."""
    value = _assigned(parse(files[file]), file, name)
    parts = value.keys if isinstance(value, ast.Dict) else getattr(value, "elts", None)
    if parts is None:
        raise LookupError(f"{file}: {name} is not written out")
    found: list[str] = []
    for part in parts:
        if isinstance(part, ast.Starred) and isinstance(part.value, ast.Name):
            found += strings(files, file, part.value.id)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.append(part.value)
        else:
            raise LookupError(f"{file}: {name} holds something that is not a string")
    return tuple(found)


def literal(files: Mapping[str, str], file: str, name: str) -> tuple[str, ...]:
    """The members of a ``Literal``."""
    value = _assigned(parse(files[file]), file, name)
    found = tuple(
        node.value
        for node in ast.walk(value)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    if not found:
        raise LookupError(f"{file}: {name} is no Literal of strings")
    return found


def members(files: Mapping[str, str], file: str, name: str) -> tuple[str, ...]:
    """The values of an enum."""
    body = _class(parse(files[file]), file, name).body
    assigned = [node.value for node in body if isinstance(node, ast.Assign)]
    return tuple(str(ast.literal_eval(value)) for value in assigned)


def default(files: Mapping[str, str], file: str, owner: str, name: str) -> object:
    """The default of a dataclass's field, or of a parameter of a class's ``__init__``."""
    body = _class(parse(files[file]), file, owner).body
    for node in body:
        if isinstance(node, ast.AnnAssign) and _names(node.target, name) and node.value is not None:
            return ast.literal_eval(node.value)
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            for argument, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                if argument.arg == name and value is not None:
                    return ast.literal_eval(value)
    raise LookupError(f"{file}: {owner} has no {name} with a default that is written out")


def _assigned(tree: ast.Module, file: str, name: str) -> ast.expr:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if isinstance(value, ast.expr) and any(_names(target, name) for target in targets):
            return value
    raise LookupError(f"{file}: {name} is not there")


def _class(tree: ast.Module, file: str, name: str) -> ast.ClassDef:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return node
    raise LookupError(f"{file}: class {name} is not there")


def _names(target: ast.expr | None, name: str) -> bool:
    return isinstance(target, ast.Name) and target.id == name
