"""The public classes, and what they refuse when they run: a new class is among them without another word."""

from __future__ import annotations

import enum
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from tools.contractdocs.modules import PUBLIC_MODULES


def public_classes() -> dict[str, type[Any]]:
    """Every public class, by its first public name."""
    found: dict[type[Any], str] = {}
    for module in PUBLIC_MODULES:
        loaded = importlib.import_module(module)
        for name in loaded.__all__:
            thing = getattr(loaded, name)
            if inspect.isclass(thing):
                found.setdefault(thing, f"{module}.{name}")
    return {path: kind for kind, path in found.items()}


def frozen_classes() -> dict[str, type[Any]]:
    """Those that are frozen: everything about an object is said when it is made."""
    return {
        path: kind
        for path, kind in public_classes().items()
        if is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen  # noqa: B009
    }


def refused(kind: type[Any]) -> Iterator[str]:
    """The public attributes of its objects that cannot be set, as its objects themselves tell."""
    if issubclass(kind, (enum.Enum, BaseException, dict)) or inspect.isabstract(kind):
        return
    if getattr(kind, "_is_protocol", False):
        return
    # One that was not made properly cannot tidy up either.
    quiet = type(kind.__name__, (kind,), {"__del__": _nothing}) if hasattr(kind, "__del__") else kind
    empty: Any = object.__new__(quiet)
    for name in attributes(kind):
        try:
            setattr(empty, name, None)
        except (AttributeError, TypeError):
            yield name


def _nothing(self: object) -> None:
    pass


def attributes(kind: type[Any]) -> list[str]:
    """The public attributes that its objects have, without its methods."""
    found = {field.name for field in fields(kind)} if is_dataclass(kind) else set[str]()
    for one in kind.__mro__:
        found |= {name for name, thing in vars(one).items() if inspect.isdatadescriptor(thing)}
        found |= set(inspect.get_annotations(one)) if one is not object else set()
    return sorted(name for name in found if not name.startswith("_"))


def assignments() -> str:
    """A module that sets each of them, which a type checker must refuse."""
    modules: set[str] = set()
    lines: list[str] = []
    for path, kind in public_classes().items():
        names = list(refused(kind))
        if names:
            parameters = ", ".join(["Any"] * len(getattr(kind, "__parameters__", ())))
            annotation = f"{path}[{parameters}]" if parameters else path
            head = f"def set_{path.replace('.', '_')}(one: {annotation}, other: {annotation}) -> None:"
            modules.add(path.rpartition(".")[0])
            lines += ["", "", head]
            lines += [f"    one.{name} = other.{name}  # wrong" for name in names]
    imports = ["from typing import Any", "", *(f"import {module}" for module in sorted(modules))]
    return "\n".join([*imports, *lines]) + "\n"
