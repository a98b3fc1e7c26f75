"""Which changes of a signature break code that was right."""

from __future__ import annotations

import pytest

from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import ReleasedSymbol
from tools.contractdocs.compare import Change, changes, options, signature


def compared(old: str, new: str, kind: str = "function") -> list[Change]:
    symbol = Symbol("finalturn.f", kind, new, "stable", "0.1.0", "", "", "src/f.py", 1)
    found = changes(ReleasedSymbol(kind, old, "stable", "0.1.0"), symbol)
    return [one._replace(about="") for one in found]


BREAKING = [
    ("def f(a: int) -> int", "def f() -> int", "parameter a is gone"),
    ("def f(a: int) -> int", "def f(b: int) -> int", "parameter a is gone"),
    ("def f(a: int) -> int", "def f(a: int, b: int) -> int", "parameter b is new, and has no default"),
    ("def f(a: int) -> int", "def f(b: int = 0, a: int = 0) -> int", "by position it took a, and takes b, a"),
    ("def f(a: int, b: int)", "def f(b: int, a: int)", "by position it took a, b, and takes b, a"),
    ("def f(a: int)", "def f(*, a: int)", "a became keyword-only"),
    ("def f(a: int)", "def f(a: int, /)", "a became positional-only"),
    ("def f(a: int = 1)", "def f(a: int = 2)", "the default of a was 1, and is 2"),
    ("def f(a: int = 1)", "def f(a: int)", "a lost its default 1"),
    ("def f(a: int | str)", "def f(a: int)", "a took int | str, and takes int"),
    ("def f() -> int", "def f() -> int | None", "it returned int, and returns int | None"),
    ("def f() -> int", "async def f() -> int", "it was plain, and is async"),
    ("def f(a: int) -> int\ndef f(a: str) -> str", "def f(a: int) -> int", "a took str, and takes int"),
]
KEPT = [
    ("def f(a: int)", "def f(a: int, b: int = 0)", "parameter b is new"),
    ("def f(a: int)", "def f(a: int, *, b: int = 0)", "parameter b is new"),
    ("def f(*, a: int)", "def f(a: int)", "a became positional or keyword"),
    ("def f(a: int)", "def f(a: int | str)", "a took int, and takes int | str"),
    ("def f(a: int)", "def f(a: int = 1)", "a has the default 1 now"),
    ("def f() -> int | None", "def f() -> int", "it returned int | None, and returns int"),
    ("def f(a: int)", "def f(a: int)\ndef f(a: str)", "there are more ways to call it"),
]


@pytest.mark.parametrize(("old", "new", "said"), BREAKING)
def test_functions_that_break(old: str, new: str, said: str) -> None:
    assert Change(said, True) in compared(old, new)


@pytest.mark.parametrize(("old", "new", "said"), KEPT)
def test_functions_that_do_not(old: str, new: str, said: str) -> None:
    assert compared(old, new) == [Change(said, False)]


@pytest.mark.parametrize(
    ("kind", "old", "new", "change"),
    [
        ("alias", "A = Literal['a', 'b']", "A = Literal['a']", Change("b is gone", True)),
        ("alias", "A = Literal['a']", "A = Literal['a', 'b']", Change("b was added", False)),
        ("alias", "A = B | C", "A = B", Change("C is gone", True)),
        ("member", "A = 'a'", "A = 'b'", Change("its value was 'a', and is 'b'", True)),
        ("field", "a: int", "a: str", Change("its type was int, and is str", True)),
        ("field", "a: int = 1", "a: int = 2", Change("its default was 1, and is 2", True)),
        ("property", "a: int", "a: int | None", Change("its type was int, and is int | None", True)),
        ("class", "class A(B)\nA()", "class A\nA()", Change("it no longer is a B", True)),
        ("class", "class A\nA()", "class A(B)\nA()", Change("it is a B now", False)),
        (
            "class",
            "@dataclass(frozen=True) class A\nA()",
            "@dataclass class A\nA()",
            Change("it was declared @dataclass(frozen=True), and is @dataclass", True),
        ),
        (
            "class",
            "class A\nA(a: int)",
            "class A\nA(a: int, b: int)",
            Change("parameter b is new, and has no default", True),
        ),
    ],
)
def test_other_names(kind: str, old: str, new: str, change: Change) -> None:
    assert compared(old, new, kind) == [change]


def test_another_kind() -> None:
    symbol = Symbol("finalturn.f", "property", "f: int", "stable", "0.1.0", "", "", "src/f.py", 1)
    assert changes(ReleasedSymbol("field", "f: int", "stable", "0.1.0"), symbol) == [
        Change("it was a field, and is a property", True)
    ]


def test_ids_of_new_clauses_are_no_change_of_what_holds_them() -> None:
    old = "id: Literal['held-json']"
    assert compared(old, "id: Literal['held-json', 'result-is-last']", "field") == []
    assert compared(old, "id: Literal['held-json', 'else']", "field")[0].breaks


def test_the_same() -> None:
    assert compared("def f(a: int) -> int", "def f(a: int) -> int") == []


def test_parts_of_a_signature() -> None:
    read = signature("@final class A(B[T], C)\nA(x: int, /, y: str = 'a', *, z: bool = False) -> A[int]")
    assert (read.bases, read.decorators) == (("B[T]", "C"), "@final")
    [call] = read.calls
    assert {name: (one.how, one.default) for name, one in call.parameters.items()} == {
        "x": ("positional-only", ""),
        "y": ("positional or keyword", "'a'"),
        "z": ("keyword-only", "False"),
    }
    assert call.returns == "A[int]"
    assert options("int | (str | None)") == ("int", "str", "None")
    assert options("Literal['a', 'b'] | None") == ("Literal['a']", "Literal['b']", "None")
