"""The decorator that makes a tool of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from finalturn._core.run_context import RunContext
from finalturn._support.keywords import known_keywords
from finalturn._tools.tool import DEFAULT_TIMEOUT, Available, Tool
from finalturn.stability import stable

__all__ = ["tool"]

P = ParamSpec("P")
R = TypeVar("R")
InstanceT = TypeVar("InstanceT")
DepsT = TypeVar("DepsT")
ToolDepsT = TypeVar("ToolDepsT")


class ToolMaker(Protocol):
    """What ``@tool(...)`` decorates a function with."""

    @overload
    def __call__(
        self, fn: Callable[Concatenate[RunContext[DepsT], P], R], /
    ) -> Tool[Concatenate[RunContext[DepsT], P], R, DepsT]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[InstanceT, RunContext[DepsT], P], R], /
    ) -> Tool[Concatenate[InstanceT, RunContext[DepsT], P], R, DepsT]: ...
    @overload
    def __call__(self, fn: Callable[P, R], /) -> Tool[P, R, object]: ...


class ContextToolMaker(Protocol[ToolDepsT]):  # pyright: ignore[reportInvalidTypeVarUse]
    """The same, where ``available`` asks for deps of a type."""

    @overload
    def __call__(
        self, fn: Callable[Concatenate[RunContext[ToolDepsT], P], R], /
    ) -> Tool[Concatenate[RunContext[ToolDepsT], P], R, ToolDepsT]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[InstanceT, RunContext[ToolDepsT], P], R], /
    ) -> Tool[Concatenate[InstanceT, RunContext[ToolDepsT], P], R, ToolDepsT]: ...
    @overload
    def __call__(self, fn: Callable[P, R], /) -> Tool[P, R, ToolDepsT]: ...


@overload
def tool(
    fn: Callable[Concatenate[RunContext[DepsT], P], R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
    available: Available[DepsT] | None = None,
) -> Tool[Concatenate[RunContext[DepsT], P], R, DepsT]: ...
@overload
def tool(
    fn: Callable[Concatenate[InstanceT, RunContext[DepsT], P], R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
    available: Available[DepsT] | None = None,
) -> Tool[Concatenate[InstanceT, RunContext[DepsT], P], R, DepsT]: ...
@overload
def tool(
    fn: Callable[P, R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
    available: Available[object] | None = None,
) -> Tool[P, R, object]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
    available: None = None,
) -> ToolMaker: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
    available: Available[DepsT],
) -> ContextToolMaker[DepsT]: ...
@stable(since="0.1.0")
@known_keywords("tool")
def tool(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
    available: Available[Any] | None = None,
) -> Any:
    """Make a `Tool` of a function; with or without parentheses.

    Args:
        fn: the function; not given when the decorator has parentheses.
        name: what the model calls it by, ``[A-Za-z0-9_-]{1,64}``. By default the function's name.
        description: what it is for. By default the docstring's first paragraph.
        timeout: seconds that one call may take, 60 by default; ``None`` for no limit.
        terminal: a call that succeeds ends the turn, once its batch is over.
        available: asked once a turn, with the context, whether the model is offered the tool in it; sync or
            async. ``None`` for always.

    Raises:
        ConfigurationError: a model could not call it; the message names the function, the parameter and
            the remedy.
    """

    def decorate(fn: Callable[..., Any]) -> Any:
        make: Any = Tool
        return make(
            fn, name=name, description=description, timeout=timeout, terminal=terminal, available=available
        )

    return decorate if fn is None else decorate(fn)
