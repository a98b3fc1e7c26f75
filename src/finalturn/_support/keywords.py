"""Names the near match of a keyword argument that a public call does not have."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, cast

__all__ = ["checked_class", "known_keywords"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def known_keywords(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for a public function, whose errors about arguments then carry its public name.

    Args:
        name: what callers know it as, such as ``Agent.run``.
    """

    def decorate(fn: Callable[P, R]) -> Callable[P, R]:
        function = cast("Any", fn)
        code = function.__code__
        keywords = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        # These are given by place, and not to be offered.
        by_place = {"self", "cls", *code.co_varnames[: code.co_posonlyargcount]}
        function.__qualname__ = name
        if inspect.iscoroutinefunction(fn):
            ask = cast("Callable[P, Awaitable[Any]]", fn)

            @functools.wraps(fn)
            async def checked(*args: P.args, **kwargs: P.kwargs) -> Any:
                if not kwargs.keys() <= keywords:
                    raise _unknown(name, kwargs.keys() - keywords, keywords - by_place)
                return await ask(*args, **kwargs)

            return cast("Callable[P, R]", checked)

        @functools.wraps(fn)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if not kwargs.keys() <= keywords:
                raise _unknown(name, kwargs.keys() - keywords, keywords - by_place)
            return fn(*args, **kwargs)

        return call

    return decorate


def checked_class(cls: type[T]) -> type[T]:
    """The same for the constructor of a class, such as a dataclass."""
    make: Any = cls
    make.__init__ = known_keywords(cls.__name__)(make.__init__)
    return cls


def _unknown(name: str, names: set[str], keywords: frozenset[str]) -> TypeError:
    from difflib import get_close_matches

    wrong = min(names)
    near = get_close_matches(wrong, sorted(keywords), n=3, cutoff=0.6)
    hint = (
        f"did you mean {' or '.join(map(repr, near))}?" if near else f"it has {', '.join(sorted(keywords))}"
    )
    return TypeError(f"{name}() has no argument {wrong!r}; {hint}")
