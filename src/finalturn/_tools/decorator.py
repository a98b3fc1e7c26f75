"""The decorator that makes a tool of a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from finalturn._support.keywords import known_keywords
from finalturn._tools.tool import DEFAULT_TIMEOUT, Tool
from finalturn.stability import stable

__all__ = ["tool"]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def tool(
    fn: Callable[P, R],
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
) -> Tool[P, R]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    timeout: float | None = DEFAULT_TIMEOUT,
    terminal: bool = False,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
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
) -> Any:
    """Make a `Tool` of a function; with or without parentheses.

    Args:
        fn: the function; not given when the decorator has parentheses.
        name: what the model calls it by, ``[A-Za-z0-9_-]{1,64}``. By default the function's name.
        description: what it is for. By default the docstring's first paragraph.
        timeout: seconds that one call may take, 60 by default; ``None`` for no limit.
        terminal: a call that succeeds ends the turn, once its batch is over.

    Raises:
        ConfigurationError: a model could not call it; the message names the function, the parameter and
            the remedy.
    """

    def decorate(fn: Callable[P, R]) -> Tool[P, R]:
        return Tool(fn, name=name, description=description, timeout=timeout, terminal=terminal)

    return decorate if fn is None else decorate(fn)
