"""The public names, as they are read from source files."""

from __future__ import annotations

import sys

import pytest

import finalturn
from tests.contractdocs._plant import PROJECT
from tests.contractdocs._small import HEAD, INIT, PART, symbols
from tools.contractdocs.api.reading import extract


def lines(code: str, *names: str) -> list[str]:
    """Kind and signature of each public name of a small package."""
    return [f"{path} ({one.kind}): {one.signature}" for path, one in symbols(code, *names).items()]


@pytest.mark.parametrize(
    ("code", "signature"),
    [
        (
            "def f(a, b: int = 1, /, c: str='x', *rest: int, d, e: float = 2.0, **more: str) -> None: ...",
            "def f(a, b: int = 1, /, c: str = 'x', *rest: int, d, e: float = 2.0, **more: str) -> None",
        ),
        ("async def f(*, a: int, _b: int = 1) -> int: ...", "async def f(*, a: int) -> int"),
        (
            "@overload\ndef f(a: int, b: int = ...) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
            "def f(a: Any, b: int = 3) -> Any: ...",
            "def f(a: int, b: int = 3) -> int\ndef f(a: str) -> str",
        ),
        (
            "Word: TypeAlias = 'str | None'\nItem: TypeAlias = Word | int\nLIMIT = 60.0\nMADE = object()\n"
            "def f(a: Item | None, b: float = LIMIT, c: object = MADE) -> Sequence[Word]: ...",
            "def f(a: str | None | int, b: float = 60.0, c: object = MADE) -> Sequence[str | None]",
        ),
        (
            "class f(NamedTuple):\n    a: int\n    b: str = ''\n",
            "class f(NamedTuple)\nf(a: int, b: str = '')",
        ),
        (
            "@dataclass\nclass f:\n    a: int = field(kw_only=True, default=1)\n",
            "@dataclass class f\nf(a: int = 1)",
        ),
        ("class P: ...\nclass f:\n    def __init__(self, p: P) -> None: ...\n", "class f"),
        ("f: tuple[int, ...] = (1, 2)", "f: tuple[int, ...] = (1, 2)"),
        ("f: TypeAlias = 'int | Literal[\"a\"]'", "f = int | Literal['a']"),
        (f"f = Clause(id='c', text={'y' * 200!r})", "f = Clause(id='c', ...)"),
    ],
)
def test_a_signature_is_canonical(code: str, signature: str) -> None:
    assert symbols(code, "f")["f"].signature == signature


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (
            "@dataclass(frozen=True)\nclass C:\n    b: int\n    a: list[int] = field(default_factory=list)\n"
            "    _b: int = 0\n    d: int = field(default=1, init=False)\n    def m(self) -> None: ...\n",
            [
                "C (class): @dataclass(frozen=True) class C\nC(b: int, a: list[int] = list())",
                "C.a (field): a: list[int] = list()",
                "C.b (field): b: int",
                "C.d (field): d: int = 1",
                "C.m (method): def m() -> None",
            ],
        ),
        (
            "class C(StrEnum):\n    B = 'b'\n    A = 'a'\n",
            ["C (class): class C(StrEnum)", "C.A (member): A = 'a'", "C.B (member): B = 'b'"],
        ),
        (
            "T = TypeVar('T')\nclass C(Generic[T]):\n"
            "    @overload\n    def __init__(self: C[int], size: int = ...) -> None: ...\n"
            "    @overload\n    def __init__(self: C[str], size: str) -> None: ...\n"
            "    def __init__(self, size: Any = 4) -> None:\n        self.size = size\n        self._x = 1\n",
            [
                "C (class): class C(Generic[T])\nC(size: int = 4) -> C[int]\nC(size: str) -> C[str]",
                "C.size (field): size: Any",
            ],
        ),
        (
            "class Base(Protocol):\n    def m(self) -> int: ...\n    def n(self) -> int: ...\n"
            "class C(Base):\n    def n(self) -> bool: ...\n",
            [
                "C (class): class C(Protocol)",
                "C.m (method): def m() -> int",
                "C.n (method): def n() -> bool",
            ],
        ),
        (
            "class C:\n    LIMIT: Final = 3\n    __slots__ = ('a',)\n"
            "    @property\n    def p(self) -> int: ...\n"
            "    @property\n    def w(self) -> int: ...\n"
            "    @w.setter\n    def w(self, value: int) -> None: ...\n"
            "    @classmethod\n    def make(cls, a: int) -> C: ...\n"
            "    def __call__(self) -> int: ...\n    def __repr__(self) -> str: ...\n",
            [
                "C (class): class C",
                "C.LIMIT (constant): LIMIT: Final = 3",
                "C.__call__ (method): def __call__() -> int",
                "C.make (method): @classmethod def make(a: int) -> C",
                "C.p (property): p: int",
                "C.w (property): w: int (writable)",
            ],
        ),
    ],
    ids=["a dataclass", "an enumeration", "a constructor", "a private base", "other members"],
)
def test_a_class_has_its_public_members(code: str, found: list[str]) -> None:
    assert lines(code, "C") == found


def test_members_of_public_bases_are_not_said_again() -> None:
    code = "class A:\n    def m(self) -> int: ...\nclass B(A): ...\n"
    found = symbols(code, "A", "B")
    assert list(found) == ["A", "A.m", "B"]


def test_public_aliases_stay() -> None:
    found = symbols("Word: TypeAlias = str\ndef f(a: Word) -> None: ...", "Word", "f")["f"]
    assert found.signature == "def f(a: Word) -> None"


def test_levels_of_names_and_of_the_parts_that_differ() -> None:
    code = (
        '@stable(since=NEXT, fields={"b": beta(since="0.2.0")})\n@dataclass\nclass C:\n'
        "    a: int\n    b: int\n    @beta(since='0.3.0')\n    def m(self) -> None: ...\n"
        '@stable(since="0.1.0", fields={"d": beta(since=NEXT)})\n@deprecated("use " "g")\n'
        "def f(c: int, d: int = 1) -> None: ...\n"
        'X = 1\nstable(since=NEXT).constant(__name__, "X")\ndef g() -> None: ...\nbeta(since="0.2.0")(g)\n'
        'K = Clause(id="c", since="0.1.0", stability="beta")\ndef none() -> None: ...\n'
    )
    found = symbols(code, "C", "f", "X", "g", "K", "none")
    assert {path: f"{one.level} {one.since}" for path, one in found.items()} == {
        "C": "stable NEXT",
        "C.a": "stable NEXT",
        "C.b": "beta 0.2.0",
        "C.m": "beta 0.3.0",
        "K": "beta 0.1.0",
        "X": "stable NEXT",
        "f": "stable 0.1.0",
        "f.d": "beta NEXT",
        "g": "beta 0.2.0",
        "none": " ",
    }
    assert (found["f.d"].kind, found["f"].deprecated) == ("parameter", "use g")


def test_order_format_and_what_is_private_do_not_matter() -> None:
    before = (
        "@stable(since=NEXT)\n@dataclass(frozen=True)\nclass C:\n    a: int = 1\n\n"
        "    def m(self, x: 'int', *, y: str = 'a') -> None:\n        return None\n\n\n"
        "@beta(since=NEXT)\ndef f(a: Mapping[str, Callable[[int], str]]) -> None: ...\n"
    )
    after = (
        "# A comment.\n@beta(\n    since=NEXT,\n)\n"
        "def f(\n    a: Mapping[\n        str, Callable[[int], str],\n    ],\n) -> None:\n    print(a)\n\n"
        "def _private() -> None: ...\n\n"
        "@stable(since = NEXT)\n@dataclass( frozen = True )\nclass C:\n    a: int=(1)\n    _hidden: int = 2\n"
        '    def m(self, x: int, *, y: str = "a") -> None: ...\n'
    )
    assert lines(before, "C", "f") == lines(after, "f", "C")


def test_nothing_is_imported_and_nothing_that_is_not_there_is_read() -> None:
    part = "import nothing_like_it\nfrom finalturn import x\ndef f(): ...\n"
    files = {INIT: "from finalturn._part import f, x\n__all__ = ['f', 'x', 'gone']\n", PART: part}
    assert list(extract(files).symbols) == ["finalturn.f"]
    assert "nothing_like_it" not in sys.modules


def test_names_that_another_module_lists_are_read() -> None:
    part = f'{HEAD}\n__all__ = ["F"]\n@stable(since=NEXT)\nclass F: ...\nclass Unlisted: ...\n'
    gates = (
        "from finalturn import _part\nfrom finalturn._part import *\n__all__ = []\n__all__ += _part.__all__\n"
    )
    files = {INIT: "", "src/finalturn/gates.py": gates, PART: part}
    assert list(extract(files).symbols) == ["finalturn.gates.F"]


def test_every_public_name_of_the_repository_is_where_it_says() -> None:
    found = PROJECT.api.symbols
    assert {f"finalturn.{name}" for name in finalturn.__all__} <= found.keys()
    assert all(one.line <= len(PROJECT.files[one.file].splitlines()) for one in found.values())
