"""Imports what ``finalturn serve`` names as ``MODULE:NAME``: an agent, and functions of a request."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from finalturn import Agent, ConfigurationError

__all__ = ["load_agent", "load_function"]


def load_agent(spec: str) -> Agent[Any, Any]:
    """Import what the spec names, from the current directory too.

    Args:
        spec: ``module:name``; the name may have dots. It is an `Agent`, or a callable without arguments that
            gives one.

    Raises:
        ConfigurationError: it cannot be imported, or is no agent. The message is one line.
    """
    return _agent(spec, _load(spec, "support:agent"))


def load_function(spec: str) -> Callable[..., Any]:
    """Import a function, from the current directory too.

    Args:
        spec: ``module:name``; the name may have dots.

    Raises:
        ConfigurationError: it cannot be imported, or cannot be called. The message is one line.
    """
    value = _load(spec, "support:deps")
    if not callable(value):
        raise ConfigurationError(f"{spec}: it is of type {type(value).__name__}, and not a function")
    return value


def _load(spec: str, example: str) -> object:
    module_name, colon, name = spec.partition(":")
    if not colon or not module_name or not name:
        raise ConfigurationError(f"{spec}: give a module and a name in it, such as {example}")
    if "/" in module_name or "\\" in module_name or module_name.endswith(".py"):
        raise ConfigurationError(f"{spec}: give the module's name, not its file, such as {example}")
    value: object = _import(spec, module_name)
    for part in name.split("."):
        if not hasattr(value, part):
            holder = getattr(value, "__name__", type(value).__name__)
            raise ConfigurationError(f"{spec}: there is no {part} in {holder}{_agents(value)}")
        value = getattr(value, part)
    return value


def _import(spec: str, module_name: str) -> object:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
            raise ConfigurationError(
                f"{spec}: there is no module {error.name}, here or where Python looks"
            ) from None
        raise ConfigurationError(f"{spec}: importing {module_name} failed: {_one_line(error)}") from None
    except Exception as error:
        raise ConfigurationError(
            f"{spec}: importing {module_name} failed: {type(error).__name__}: {_one_line(error)}"
        ) from None


def _agent(spec: str, value: object) -> Agent[Any, Any]:
    if isinstance(value, Agent):
        return cast("Agent[Any, Any]", value)  # type: ignore[redundant-cast]  # pyright needs it
    if not callable(value):
        raise ConfigurationError(f"{spec}: it is of type {type(value).__name__}, and not an Agent")
    if hasattr(value, "routes") or hasattr(value, "build_middleware_stack"):
        raise ConfigurationError(f"{spec}: it is an application, not an agent: run it with uvicorn")
    try:
        result: object = value()
    except Exception as error:
        raise ConfigurationError(
            f"{spec}: calling it failed: {type(error).__name__}: {_one_line(error)}"
        ) from None
    if isinstance(result, Agent):
        return cast("Agent[Any, Any]", result)  # type: ignore[redundant-cast]
    if inspect.iscoroutine(result):
        result.close()
        raise ConfigurationError(
            f"{spec}: it is an async function; give an Agent, or a function that returns one"
        )
    raise ConfigurationError(f"{spec}: what it gives is of type {type(result).__name__}, and not an Agent")


def _agents(holder: object) -> str:
    """What may have been meant."""
    members: dict[str, object] = getattr(holder, "__dict__", {})
    names = sorted(name for name, value in members.items() if isinstance(value, Agent))
    return f"; it has {', '.join(names)}" if names else ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
