"""Facts of the source files, read without running them, and the public names of what clauses speak of."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from finalturn._support.public_home import defined_in
from finalturn.contract import Clause
from tools.contractdocs.modules import PUBLIC_MODULES, module_file


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


@cache
def _public() -> dict[int, tuple[str, str]]:
    """By identity: the module and the name of every public object. The first home counts."""
    found: dict[int, tuple[str, str]] = {}
    for module in PUBLIC_MODULES:
        names: list[str] = importlib.import_module(module).__all__
        for name in names:
            found.setdefault(id(getattr(importlib.import_module(module), name)), (module, name))
    return found


def thing(about: object) -> object:
    """What a clause names by its path, because it needs an extra; any other object itself.

    Raises:
        LookupError: there is no such thing.
    """
    if not isinstance(about, str):
        return about
    module, _, name = about.rpartition(".")
    try:
        found: object = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError):
        raise LookupError(f"there is no {about}") from None
    return found


def public_path(about: object) -> str:
    """``finalturn.Agent`` or ``finalturn.Agent.run``; the private name of what is not public."""
    if isinstance(about, str):
        return about
    if id(about) in _public():
        return ".".join(_public()[id(about)])
    module, name = defined_in(about), getattr(about, "__qualname__", repr(about))
    owner_name, _, member = name.rpartition(".")
    for public_module in PUBLIC_MODULES:
        owner = getattr(importlib.import_module(public_module), owner_name, None) if member else None
        if owner is not None and getattr(owner, member, None) is about:
            return f"{public_module}.{name}"
    return f"{module}.{name}"


def reference_page(path: str) -> str | None:
    """The page, from docs/, that documents a public name; ``None`` for one that is not public."""
    homes = [module for module in PUBLIC_MODULES if path.startswith(f"{module}.")]
    return module_page(max(homes, key=len)) if homes else None


def module_page(module: str) -> str:
    """The page, from docs/, of a public module."""
    return f"reference/{module.rpartition('.')[2]}.md"


def definition(about: object, files: Mapping[str, str]) -> tuple[str, str] | None:
    """The file and the qualified name under which an object is defined; ``None`` for what has none."""
    try:
        about = thing(about)
    except LookupError:
        return None
    module, name = defined_in(about), getattr(about, "__qualname__", None)
    if not module or not isinstance(name, str):
        return None
    try:
        return module_file(module, files), name
    except LookupError:
        return None


def about_paths(clause: Clause) -> Iterator[str]:
    """The public names that a clause speaks of."""
    things: tuple[Any, ...] = clause.about
    return (public_path(about) for about in things)
