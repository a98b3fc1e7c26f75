"""Facts of the source files, read without running them, and the public names of what clauses speak of."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

import griffe

from finalturn._support.public_home import defined_in
from finalturn.contract import Clause
from tools.contractdocs.api.expressions import visit
from tools.contractdocs.modules import PUBLIC_MODULES, module_file


@lru_cache(maxsize=512)
def parse(text: str) -> ast.Module:
    """The syntax tree of a file's text. It is shared: do not change it."""
    return ast.parse(text)


def _value(files: Mapping[str, str], file: str, *names: str) -> ast.expr:
    """The expression that a name, or one within another, is given in a file.

    Raises:
        LookupError: there is none.
    """
    value: object = None
    found: griffe.Object | griffe.Alias = visit("module", file, files[file])
    for name in names:
        if isinstance(found, griffe.Class) and name not in found.members and "__init__" in found.members:
            value = found["__init__"].parameters[name].default
        else:
            found = found.members[name]
            value = getattr(found, "value", None)
    if value is None:
        raise LookupError(f"{file}: {names[-1]} is given no value")
    return ast.parse(str(value), mode="eval").body


def constant(files: Mapping[str, str], file: str, name: str) -> object:
    """The value of a constant whose value is a literal, or a product of literals."""
    node = _value(files, file, name)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return ast.literal_eval(node.left) * ast.literal_eval(node.right)
    found: object = ast.literal_eval(node)
    return found


def strings(files: Mapping[str, str], file: str, name: str) -> tuple[str, ...]:
    """The strings of a tuple or a list, or the keys of a dictionary; ``*OTHER`` is looked up."""
    value = _value(files, file, name)
    assert isinstance(value, ast.Dict | ast.Tuple | ast.List), f"{file}: {name} is not written out"
    found: list[str] = []
    for part in value.keys if isinstance(value, ast.Dict) else value.elts:
        if isinstance(part, ast.Starred):
            found += strings(files, file, ast.unparse(part.value))
        elif part is not None:
            found.append(str(ast.literal_eval(part)))
    return tuple(found)


def literal(files: Mapping[str, str], file: str, name: str) -> tuple[str, ...]:
    """The members of a ``Literal``."""
    nodes = ast.walk(_value(files, file, name))
    found = tuple(str(node.value) for node in nodes if isinstance(node, ast.Constant))
    assert found, f"{file}: {name} is no Literal"
    return found


def members(files: Mapping[str, str], file: str, name: str) -> tuple[str, ...]:
    """The values of an enum."""
    found = visit("module", file, files[file])[name].members.values()
    return tuple(str(ast.literal_eval(str(one.value))) for one in found if isinstance(one, griffe.Attribute))


def default(files: Mapping[str, str], file: str, owner: str, name: str) -> object:
    """The default of a dataclass's field, or of a parameter of a class's ``__init__``."""
    found: object = ast.literal_eval(_value(files, file, owner, name))
    return found


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
