"""From an object that a clause speaks of to its public name, its page and its source file."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from finalturn._public_home import defined_in
from finalturn.contract import Clause
from tools.contractdocs.modules import PUBLIC_MODULES, module_file


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
