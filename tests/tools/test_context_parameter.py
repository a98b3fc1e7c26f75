"""How a function asks for the context, and what it takes the deps for."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Optional, Protocol, TypeVar

import pytest

from finalturn import ConfigurationError, RunContext
from finalturn._tools.context_parameter import (
    ContextParameter,
    check_deps_type,
    context_parameter,
    deps_of,
    is_plain_class,
    of_tool,
    with_context,
)

T = TypeVar("T")


class User:
    """Who is asking."""


class Guest(User):
    """A user of a kind."""


class Named(Protocol):
    """Whatever has a name."""

    name: str


def first(ctx: RunContext[User], text: str) -> str:
    return text


def second(text: str, ctx: RunContext[User]) -> str:
    return text


def by_name(text: str, *, ctx: RunContext) -> str:
    return text


def none(text: str, other: int = 1) -> str:
    return text


def unannotated(ctx, text):  # type: ignore[no-untyped-def]  # pyright: ignore
    return str(text)  # pyright: ignore


class Gate:
    def check(self, ctx: RunContext[User], text: str) -> str:
        return text

    def __call__(self, ctx: RunContext[User]) -> str:
        return ""


def unreadable() -> Any:
    """A function whose signature cannot be read."""

    def fn(*arguments: Any) -> None: ...

    fn.__signature__ = "no signature"  # type: ignore[attr-defined]  # pyright: ignore[reportFunctionMemberAccess]
    return fn


def hidden(ctx: Elsewhere, text: str) -> str:  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore
    return text


def half_hidden(ctx: RunContext[Elsewhere]) -> str:  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore
    return ""


ASKING: list[tuple[Any, object]] = [
    (first, ContextParameter(None, User)),
    (second, ContextParameter("ctx", User)),
    (by_name, ContextParameter("ctx", object)),
    (none, None),
    (Gate().check, ContextParameter(None, User)),
    (Gate(), ContextParameter(None, User)),
    (partial(second, "x"), ContextParameter(None, User)),
    (unannotated, None),
    (unreadable(), None),
    (hidden, None),
]


@pytest.mark.parametrize(("fn", "found"), ASKING)
def test_the_parameter_is_found_by_its_annotation(fn: Callable[..., Any], found: object) -> None:
    assert context_parameter(fn, "it") == found


def test_an_annotation_that_cannot_be_evaluated_is_named() -> None:
    asks: Any = vars(sys.modules[__name__])["half_hidden"]
    with pytest.raises(
        ConfigurationError, match=r"it: the annotation .* cannot be evaluated; what it names"
    ) as caught:
        context_parameter(asks, "it")
    assert "Elsewhere" in str(caught.value)


@pytest.mark.parametrize(
    ("annotation", "deps"),
    [
        (RunContext, object),
        (RunContext[User], User),
        (RunContext[User] | None, User),
        (Optional[RunContext[User]], User),  # noqa: UP045
        (Annotated[RunContext[User], "a note"], User),
        (RunContext[Any], Any),
        (User, None),
        (list[RunContext[User]], None),
        (str | None, None),
    ],
)
def test_what_an_annotation_says_of_deps(annotation: object, deps: object) -> None:
    assert deps_of(annotation) == deps


def test_a_tool_takes_it_first_or_by_keyword() -> None:
    def visible(fn: Callable[..., Any]) -> list[inspect.Parameter]:
        return list(inspect.signature(fn, eval_str=True).parameters.values())

    def only_by_keyword(*, ctx: RunContext[User]) -> None: ...

    assert of_tool(visible(first), "first") == ContextParameter(None, User)
    assert of_tool(visible(only_by_keyword), "it") == ContextParameter("ctx", User)
    assert of_tool(visible(none), "none") is None
    with pytest.raises(ConfigurationError, match="tool second: the context must be its first parameter"):
        of_tool(visible(second), "second")


def test_it_is_made_for_those_who_ask_alone() -> None:
    context = RunContext(User(), "run-1")

    def make() -> RunContext[User]:
        return context

    def never() -> RunContext[User]:
        raise AssertionError("nobody asks")

    assert with_context(none, None, never) is none
    assert with_context(first, ContextParameter(None, User), make)("x") == "x"
    assert with_context(by_name, ContextParameter("ctx", object), make)("x") == "x"


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        (User, User),
        (User, Guest),
        (object, None),
        (Any, None),
        (Named, None),
        (User | Guest, None),
        (T, None),
        (User, Named),
        (User, User | Guest),
    ],
)
def test_deps_that_may_fit(wanted: object, given: object) -> None:
    check_deps_type(wanted, given, "it")


@pytest.mark.parametrize(
    ("wanted", "given", "said"),
    [
        (User, None, r"it asks for RunContext\[User\], and the agent has no deps: give it deps_type=User"),
        (Guest, User, r"it asks for RunContext\[Guest\], and the agent's deps_type is User"),
    ],
)
def test_deps_that_do_not_fit(wanted: object, given: object, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        check_deps_type(wanted, given, "it")


def test_plain_classes() -> None:
    assert is_plain_class(User) and is_plain_class(int)
    for other in (Named, object, Any, type(None), User | None, "User"):
        assert not is_plain_class(other)
