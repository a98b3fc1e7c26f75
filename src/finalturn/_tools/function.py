"""Inspects a callable without calling it: the function under its wrappers, and its parameters."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, cast

from finalturn._core.errors import ConfigurationError

__all__ = ["evaluated", "is_async", "is_method", "parameters", "source", "visible_parameters"]


def source(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function (or class) that was written, under partials, wrappers and bound methods."""
    inner: Any = fn
    while True:
        if isinstance(inner, functools.partial):
            inner = inner.func
        elif inspect.ismethod(inner):
            inner = inner.__func__
        elif hasattr(inner, "__wrapped__"):
            inner = inner.__wrapped__
        elif inspect.isroutine(inner) or inspect.isclass(inner):
            return cast("Callable[..., Any]", inner)
        else:
            inner = type(inner).__call__


def is_async(fn: Callable[..., Any]) -> bool:
    """Whether calling it only makes a coroutine, and so cannot block."""
    unwrapped = fn
    while isinstance(unwrapped, functools.partial):
        inner: Callable[..., Any] = unwrapped.func
        unwrapped = inner
    return inspect.iscoroutinefunction(unwrapped) or inspect.iscoroutinefunction(type(unwrapped).__call__)


def is_method(fn: Callable[..., Any]) -> bool:
    """Whether it was written in a class body and takes the instance (or class) first."""
    if not inspect.isfunction(fn):
        return False
    qualifier = fn.__qualname__.rpartition(".")[0]
    if not qualifier or qualifier.endswith("<locals>"):
        return False
    return next(iter(_signature(fn).parameters), None) in ("self", "cls")


def parameters(fn: Callable[..., Any], label: str) -> list[inspect.Parameter]:
    """The parameters that a model can fill, their annotations evaluated.

    What a partial has bound, and a method's instance, are not among them.

    Args:
        fn: any callable.
        label: its name, for errors.

    Raises:
        ConfigurationError: a parameter has no annotation, or one that cannot be evaluated; or it is
            ``*args`` or ``**kwargs``.
    """
    visible = visible_parameters(fn, label)
    for parameter in visible:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ConfigurationError(
                f"tool {label}: a model cannot fill {stars}{parameter.name}; give each argument a parameter "
                "of its own, or use Tool.from_schema"
            )
        if parameter.annotation is parameter.empty:
            raise ConfigurationError(
                f"tool {label}: parameter {parameter.name!r} has no annotation; say its type, as in "
                f"'{parameter.name}: str'"
            )
    function = source(fn)
    return [parameter.replace(annotation=evaluated(parameter, function, label)) for parameter in visible]


def visible_parameters(fn: Callable[..., Any], label: str) -> list[inspect.Parameter]:
    """The parameters that a caller can still fill, as they are written.

    Raises:
        ConfigurationError: the signature cannot be read.
    """
    try:
        visible = list(_signature(fn).parameters.values())
    except (ValueError, TypeError, NameError) as error:
        raise ConfigurationError(
            f"tool {label}: its signature cannot be read ({type(error).__name__}); wrap it in a function"
        ) from error
    if is_method(fn):
        visible = visible[1:]
    bound: set[str] = set()
    inner: Any = fn
    while isinstance(inner, functools.partial):
        bound.update(inner.keywords)
        inner = inner.func
    return [parameter for parameter in visible if parameter.name not in bound]


def _signature(fn: Callable[..., Any]) -> inspect.Signature:
    if sys.version_info >= (3, 14):  # pragma: no cover
        # A return annotation may name what only a type checker imports.
        import annotationlib

        return inspect.signature(fn, annotation_format=annotationlib.Format.FORWARDREF)
    return inspect.signature(fn)


def _scope(function: Callable[..., Any]) -> dict[str, Any]:
    if hasattr(function, "__globals__"):
        return function.__globals__
    module = sys.modules.get(function.__module__ or "")
    return {} if module is None else vars(module)


def evaluated(parameter: inspect.Parameter, function: Callable[..., Any], label: str) -> Any:
    """A parameter's annotation as what it means.

    Raises:
        ConfigurationError: it names what is not there at run time.
    """
    scope = _scope(function)
    holder = types.SimpleNamespace(__annotations__={parameter.name: parameter.annotation})
    try:
        try:
            hints = typing.get_type_hints(holder, scope, None, include_extras=True)
        except NameError:
            hints = typing.get_type_hints(holder, scope, _locals(function), include_extras=True)
    except Exception as error:
        raise ConfigurationError(
            f"tool {label}: the annotation of parameter {parameter.name!r} cannot be evaluated "
            f"({type(error).__name__}: {error}); what it names must be importable at run time, not only "
            "under TYPE_CHECKING"
        ) from error
    return hints[parameter.name]


def _locals(function: Callable[..., Any]) -> dict[str, Any]:
    """The locals of the functions and class bodies that it is being defined in, the inner ones winning."""
    parts = str(getattr(function, "__qualname__", "")).split(".")
    enclosing = {".".join(parts[:length]) for length in range(1, len(parts))}
    names: dict[str, Any] = {}
    frame: types.FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        if frame.f_code.co_qualname in enclosing and frame.f_globals is _scope(function):
            names = {**frame.f_locals, **names}
        frame = frame.f_back
    return names
