"""Loads the type that ``--schema module:name`` names for structured answers."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter

from finalturn import ConfigurationError

__all__ = ["load_schema"]


def load_schema(spec: str) -> tuple[Any, str]:
    """Import what the spec names, from the current directory too.

    Args:
        spec: ``module:name``; the name may have dots.

    Returns:
        A response_format and what to call it. A pydantic model class, a ``TypeAdapter`` and a JSON Schema
        mapping are taken as they are; any other type gets a ``TypeAdapter``.

    Raises:
        ConfigurationError: it cannot be imported, or is not a type.
    """
    module_name, colon, name = spec.partition(":")
    if not colon or not module_name or not name:
        raise ConfigurationError(f"--schema {spec}: give a module and a name in it, such as tickets:Ticket")
    if "/" in module_name or "\\" in module_name or module_name.endswith(".py"):
        raise ConfigurationError(
            f"--schema {spec}: give the module's name, not its file, such as tickets:Ticket"
        )
    value: Any = _import(spec, module_name)
    for part in name.split("."):
        if not hasattr(value, part):
            holder = getattr(value, "__name__", type(value).__name__)
            raise ConfigurationError(f"--schema {spec}: there is no {part} in {holder}{_models(value)}")
        value = getattr(value, part)
    return _response_format(spec, value), name.rpartition(".")[2]


def _import(spec: str, module_name: str) -> object:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise ConfigurationError(
                f"--schema {spec}: there is no module {error.name}, here or where Python looks"
            ) from None
        raise ConfigurationError(f"--schema {spec}: importing {module_name} failed: {error}") from None
    except Exception as error:
        kind = type(error).__name__
        raise ConfigurationError(
            f"--schema {spec}: importing {module_name} failed: {kind}: {error}"
        ) from None


def _models(holder: object) -> str:
    """What may have been meant."""
    members: dict[str, object] = getattr(holder, "__dict__", {})
    names = sorted(name for name, value in members.items() if _is_model(value) and value is not BaseModel)
    return f"; it has {', '.join(names)}" if names else ""


def _response_format(spec: str, value: object) -> Any:
    if isinstance(value, (TypeAdapter, dict)) or _is_model(value):
        return cast("Any", value)
    try:
        if isinstance(value, str):
            raise TypeError("pydantic would take a text for a reference to a type")
        return TypeAdapter(cast("Any", value))
    except Exception:
        raise ConfigurationError(
            f"--schema {spec}: pydantic cannot make a schema of it, of type {type(value).__name__}; give"
            " a model class or another type, a TypeAdapter, or a JSON Schema as a dict"
        ) from None


def _is_model(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)
