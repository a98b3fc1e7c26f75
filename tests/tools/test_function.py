"""What is learnt about a callable."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, cast

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._tools import function as _function

if TYPE_CHECKING:
    from decimal import Decimal


def plain(order: str, limit: int = 3) -> str:
    return order * limit


async def waiting(order: str) -> str:
    return order


class Machine:
    """A machine."""

    def method(self, order: str) -> str:
        return order

    @staticmethod
    def static(order: str) -> str:
        return order

    @classmethod
    def of(cls, order: str) -> str:
        return order

    def __call__(self, order: str) -> str:
        return order


class AsyncMachine:
    async def __call__(self, order: str) -> str:
        return order


def wrapped(fn: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return fn(*args, **kwargs)

    return wrapper


def names(fn: Callable[..., Any]) -> list[str]:
    return [item.name for item in _function.parameters(fn, "f")]


def test_the_source() -> None:
    machine = Machine()
    assert _function.source(plain) is plain
    assert _function.source(functools.partial(wrapped(plain), limit=1)) is plain
    assert _function.source(machine.method) is Machine.method
    assert _function.source(machine) is Machine.__call__
    assert _function.source(Machine) is Machine
    assert _function.source(len) is len


def test_what_is_async() -> None:
    assert _function.is_async(waiting)
    assert _function.is_async(functools.partial(functools.partial(waiting), "x"))
    assert _function.is_async(AsyncMachine())
    assert not _function.is_async(plain)
    assert not _function.is_async(Machine())
    # A sync wrapper may block, whatever it wraps.
    assert not _function.is_async(wrapped(waiting))


def test_what_is_a_method() -> None:
    assert _function.is_method(Machine.method)
    assert not _function.is_method(Machine().method)
    assert not _function.is_method(Machine.static)
    assert not _function.is_method(plain)
    assert not _function.is_method(Machine())

    def local(self: str) -> str:
        return self

    assert not _function.is_method(local)


def test_the_parameters() -> None:
    assert names(plain) == ["order", "limit"]
    assert names(wrapped(plain)) == ["order", "limit"]
    assert names(Machine.method) == ["order"]
    assert names(Machine().method) == ["order"]
    assert names(Machine.of) == ["order"]
    assert names(Machine()) == ["order"]
    assert _function.parameters(plain, "f")[1].annotation is int


def test_what_a_partial_binds_is_hidden() -> None:
    assert names(functools.partial(plain, "x")) == ["limit"]
    assert names(functools.partial(functools.partial(plain, limit=2), order="x")) == []


def test_annotations_are_evaluated_with_their_metadata() -> None:
    def fn(order: Annotated[str, "why"]) -> Decimal: ...  # type: ignore[empty-body]

    assert _function.parameters(fn, "f")[0].annotation == Annotated[str, "why"]


def test_annotations_may_name_locals() -> None:
    class Order:
        pass

    class Shop:
        class Customer:
            pass

        def sell(self, order: Order, customer: Customer) -> None: ...

        found = _function.parameters(sell, "f")

    assert [item.annotation for item in Shop.found] == [Order, Shop.Customer]


def test_locals_are_found_through_a_helper() -> None:
    def register(fn: Callable[..., Any]) -> list[inspect.Parameter]:
        inspect = "shadows nothing"
        assert inspect
        return _function.parameters(fn, "f")

    def define() -> list[inspect.Parameter]:
        class Order:
            pass

        def fn(order: Order) -> None: ...

        return register(fn)

    assert define()[0].annotation.__name__ == "Order"


def test_a_class_as_a_callable() -> None:
    class Point:
        def __init__(self, x: int) -> None:
            self.x = x

    assert names(Point) == ["x"]


def bare(order):  # type: ignore[no-untyped-def]  # pyright: ignore
    return order  # pyright: ignore


def many(*orders: str) -> None: ...


def named(**orders: str) -> None: ...


UNFIT: list[tuple[Callable[..., Any], str]] = [
    (cast(Any, bare), r"tool f: parameter 'order' has no annotation; say its type, as in 'order: str'"),
    (many, r"tool f: a model cannot fill \*orders; .* Tool.from_schema"),
    (named, r"tool f: a model cannot fill \*\*orders; "),
    (dict, r"tool f: its signature cannot be read \(ValueError\); wrap it in a function"),
]


@pytest.mark.parametrize(("fn", "problem"), UNFIT)
def test_what_a_model_cannot_fill(fn: Callable[..., Any], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        _function.parameters(fn, "f")


def test_an_annotation_that_only_a_type_checker_knows() -> None:
    def fn(price: Decimal) -> None: ...

    with pytest.raises(
        ConfigurationError, match=r"tool f: the annotation of parameter 'price' .*TYPE_CHECKING"
    ):
        _function.parameters(fn, "f")


def test_a_callable_of_no_module() -> None:
    class Odd:
        def __call__(self, order: str) -> str:
            return order

    odd = Odd()
    odd.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]  # pyright: ignore
    assert names(odd) == ["order", "limit"]
