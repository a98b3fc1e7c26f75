"""Which changes of a signature break code that was right."""

from __future__ import annotations

import pytest

from tools.contractdocs.api.model import Symbol
from tools.contractdocs.baseline import ReleasedSymbol
from tools.contractdocs.compare import Change, changes


def compared(old: str, new: str, kind: str = "function") -> list[Change]:
    symbol = Symbol("finalturn.f", kind, new, "stable", "0.1.0", "", "", "src/f.py", 1)
    return changes(ReleasedSymbol(kind, old, "stable", "0.1.0"), symbol)


BREAKING = [
    ("function", "def f(a: int)", "def f()", "a was `(a: int)`, and is not there"),
    (
        "function",
        "def f()",
        "def f(b: int)",
        "b was not there, and is `(b: int)`",
    ),
    (
        "function",
        "def f(a: int)",
        "def f(b: int = 0, a: int = 0)",
        "a was `(a: int)`, and is `(a: int = 0)`",
    ),
    ("function", "def f(a: int)", "def f(*, a: int)", "a was `(a: int)`, and is `(*, a: int)`"),
    ("function", "def f(a: int)", "def f(a: int, /)", "a was `(a: int)`, and is `(a: int, /)`"),
    (
        "function",
        "def f(a: int = 1)",
        "def f(a: int = 2)",
        "a was `(a: int = 1)`, and is `(a: int = 2)`",
    ),
    ("function", "def f(a: int = 1)", "def f(a: int)", "a was `(a: int = 1)`, and is `(a: int)`"),
    (
        "function",
        "def f(a: int | str)",
        "def f(a: int)",
        "a was `(a: int | str)`, and is `(a: int)`",
    ),
    ("function", "def f() -> int", "def f() -> int | None", "it returned int, and returns int | None"),
    ("function", "def f() -> int", "async def f() -> int", "it was `def f`, and is `async def f`"),
    (
        "function",
        "def f(a: int)\ndef f(a: str)",
        "def f(a: int)",
        "a was `(a: str)`, and is `(a: int)`",
    ),
    ("class", "class A(B)\nA()", "class A\nA()", "it was B, and is plain"),
    (
        "class",
        "@dataclass(frozen=True, slots=True) class A\nA()",
        "@dataclass class A\nA()",
        "and is @dataclass",
    ),
    (
        "class",
        "class A\nA(a: int)",
        "class A\nA(a: int, b: int)",
        "b was not there, and is `(b: int)`",
    ),
    ("class", "class A\nA(a: int)", "class A", "it can no longer be called"),
    ("alias", "A = Literal['a', 'b']", "A = Literal['a']", "it was `A = Literal['a', 'b']`, and is `A = Lit"),
    ("alias", "A = B | C", "A = B", "it was `A = B | C`, and is `A = B`"),
    ("member", "A = 'a'", "A = 'b'", "it was `A = 'a'`, and is `A = 'b'`"),
    ("field", "a: int", "a: str", "it was `a: int`, and is `a: str`"),
    ("field", "a: int = 1", "a: int = 2", "it was `a: int = 1`, and is `a: int = 2`"),
    ("property", "a: int", "a: int | None", "it was `a: int`, and is `a: int | None`"),
    ("field", "id: Literal['held-json']", "id: Literal['held-json', 'else']", "it was"),
]
KEPT = [
    (
        "function",
        "def f(a: int)",
        "def f(a: int, b: int = 0)",
        "b was not there, and is `(b: int = 0)`",
    ),
    ("function", "def f(*, a: int)", "def f(a: int)", "a was `(*, a: int)`, and is `(a: int)`"),
    (
        "function",
        "def f(a: int)",
        "def f(a: int | str)",
        "a was `(a: int)`, and is `(a: int | str)`",
    ),
    ("function", "def f(a: int)", "def f(a: int = 1)", "a was `(a: int)`, and is `(a: int = 1)`"),
    ("function", "def f() -> int | None", "def f() -> int", "it returned int | None, and returns int"),
    ("function", "def f(a: int)", "def f(a: int)\ndef f(a: str)", "there are more ways to call it"),
    ("class", "class A\nA()", "class A(B)\nA()", "it was plain, and is B"),
    ("alias", "A = Literal['a']", "A = Literal['a', 'b']", "it was `A = Literal['a']`, and is"),
    ("field", "a: int", "a: int = 1", "it was `a: int`, and is `a: int = 1`"),
]
CASES = [*((*case, True) for case in BREAKING), *((*case, False) for case in KEPT)]


@pytest.mark.parametrize(("kind", "old", "new", "said", "breaks"), CASES)
def test_a_change_is_told_and_breaks_or_not(kind: str, old: str, new: str, said: str, breaks: bool) -> None:
    found = compared(old, new, kind)
    assert any(change.breaks for change in found) is breaks
    assert any(said in change.said for change in found if change.breaks is breaks), found


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("function", "def f(a: int) -> int", "def f(a: int) -> int"),
        # The changelog names each new clause by itself.
        ("field", "id: Literal['held-json']", "id: Literal['held-json', 'result-is-last']"),
        ("function", "def f(a: Literal['held-json'])", "def f(a: Literal['held-json', 'result-is-last'])"),
        ("class", "@dataclass class A", "@private @dataclass class A"),
    ],
)
def test_what_is_no_change(kind: str, old: str, new: str) -> None:
    assert compared(old, new, kind) == []


def test_another_kind_breaks() -> None:
    symbol = Symbol("finalturn.f", "property", "f: int", "stable", "0.1.0", "", "", "src/f.py", 1)
    was = ReleasedSymbol("field", "f: int", "stable", "0.1.0")
    assert changes(was, symbol) == [Change("it was a field, and is a property", True)]
