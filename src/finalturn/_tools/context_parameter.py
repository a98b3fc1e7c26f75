"""Finds out whether a function asks for the context of its run, and gives it."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Sequence
from functools import partial
from inspect import Parameter
from typing import Any, NamedTuple, cast

from typing_extensions import is_protocol

from finalturn._core.errors import ConfigurationError
from finalturn._core.run_context import RunContext
from finalturn._tools.function import evaluated, source, visible_parameters

__all__ = [
    "ContextParameter",
    "check_deps_type",
    "context_parameter",
    "deps_of",
    "is_plain_class",
    "name_of_type",
    "of_tool",
    "takes_none",
    "with_context",
]


# ``Any`` is a class from Python 3.11.
_OF_ALL: tuple[object, ...] = (object, types.NoneType, Any)


class ContextParameter(NamedTuple):
    """The parameter that a function takes the context by.

    Attributes:
        keyword: its name, when it is not the first that can be given by place.
        deps: what the function takes the deps for; ``object`` when it does not say.
    """

    keyword: str | None
    deps: object


def context_parameter(fn: Callable[..., Any], label: str) -> ContextParameter | None:
    """The parameter that a function of an application takes the context by; ``None`` when it asks for none.

    Args:
        fn: any callable.
        label: what it is, for errors.

    Raises:
        ConfigurationError: an annotation speaks of a context, and cannot be evaluated.
    """
    try:
        visible = visible_parameters(fn, label)
    except ConfigurationError:
        # Whatever its signature is, it cannot be read, and names no context.
        return None
    function = source(fn)
    for place, parameter in enumerate(visible):
        if parameter.annotation is parameter.empty:
            continue
        try:
            annotation = evaluated(parameter, function, label)
        except ConfigurationError as error:
            if "RunContext" in str(parameter.annotation):
                raise ConfigurationError(
                    f"{label}: the annotation {parameter.annotation!r} cannot be evaluated; what it names "
                    "must be importable at run time, not only under TYPE_CHECKING"
                ) from error
            continue
        deps = deps_of(annotation)
        if deps is not None:
            first = place == 0 and parameter.kind is not parameter.KEYWORD_ONLY
            return ContextParameter(None if first else parameter.name, deps)
    return None


def of_tool(visible: Sequence[Parameter], label: str) -> ContextParameter | None:
    """The parameter that a tool's function takes the context by, which must be its first.

    Args:
        visible: what a caller can still fill, the annotations evaluated.
        label: the function's name, for errors.

    Raises:
        ConfigurationError: another parameter than the first is a context.
    """
    asked: ContextParameter | None = None
    for place, parameter in enumerate(visible):
        deps = deps_of(parameter.annotation)
        if deps is None:
            continue
        if place:
            raise ConfigurationError(
                f"tool {label}: the context must be its first parameter, and {parameter.name!r} is not"
            )
        asked = ContextParameter(parameter.name if parameter.kind is parameter.KEYWORD_ONLY else None, deps)
    return asked


def deps_of(annotation: object) -> object | None:
    """What a context's annotation says of the deps, ``object`` when it does not; ``None`` of another's."""
    if annotation is RunContext:
        return object
    if typing.get_origin(annotation) is RunContext:
        return cast("object", typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        # It need not be given.
        return next(filter(None, map(deps_of, typing.get_args(annotation))), None)
    if typing.get_origin(annotation) is typing.Annotated:
        return deps_of(typing.get_args(annotation)[0])
    return None


def with_context(
    fn: Callable[..., Any], parameter: ContextParameter | None, make: Callable[[], RunContext[Any]]
) -> Callable[..., Any]:
    """The function with the context given to it, when it asks for one.

    Args:
        fn: the function.
        parameter: how it asks.
        make: makes the context; not called for a function that does not ask.
    """
    if parameter is None:
        return fn
    if parameter.keyword is None:
        return partial(fn, make())
    return partial(fn, **{parameter.keyword: make()})


def check_deps_type(wanted: object, deps_type: object, label: str) -> None:
    """Refuse a function that takes the deps for something else than they are.

    Only classes are compared; a protocol, a union or a type variable is left to the type checker.

    Args:
        wanted: what the function takes the deps for.
        deps_type: what the agent says they are; ``None`` where it has none.
        label: what the function is, for errors.

    Raises:
        ConfigurationError: it does.
    """
    if not is_plain_class(wanted):
        return
    name = wanted.__qualname__
    if deps_type is None:
        raise ConfigurationError(
            f"{label} asks for RunContext[{name}], and the agent has no deps: give it deps_type={name}"
        )
    if is_plain_class(deps_type) and not issubclass(deps_type, wanted):
        raise ConfigurationError(
            f"{label} asks for RunContext[{name}], and the agent's deps_type is {deps_type.__qualname__}"
        )


def is_plain_class(value: object) -> typing.TypeGuard[type]:
    """Whether instances of it can be told: a class, and no protocol."""
    return isinstance(value, type) and value not in _OF_ALL and not is_protocol(value)


def takes_none(kind: object) -> bool:
    """Whether deps of a type may be ``None``; so may those of an agent without a type."""
    return kind is None or kind in _OF_ALL or types.NoneType in typing.get_args(kind)


def name_of_type(kind: object) -> str:
    """What a type of deps is called."""
    return kind.__qualname__ if isinstance(kind, type) else str(kind)
