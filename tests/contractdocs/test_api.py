"""The public names, as they are read from source files."""

from __future__ import annotations

import sys

import finalturn
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.api.model import Symbol
from tools.contractdocs.api.reading import extract

ROOT = "src/finalturn/__init__.py"
PART = "src/finalturn/_part.py"
HEAD = '''"""A part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, overload

from finalturn.stability import NEXT, beta, stable
'''


def read(code: str, *names: str) -> dict[str, Symbol]:
    """The public names of a small package whose one private module has this code."""
    root = f'"""All."""\nfrom finalturn._part import {", ".join(names)}\n__all__ = {list(names)!r}\n'
    return dict(extract({ROOT: root, PART: f"{HEAD}\n{code}"}).symbols)


def signature(code: str, name: str) -> str:
    return read(code, name)[f"finalturn.{name}"].signature


class TestFunctions:
    def test_every_kind_of_parameter(self) -> None:
        code = "def f(a, b: int = 1, /, c: str='x', *rest: int, d, e: float = 2.0, **more: str) -> None: ..."
        assert signature(code, "f") == (
            "def f(a, b: int = 1, /, c: str = 'x', *rest: int, d, e: float = 2.0, **more: str) -> None"
        )

    def test_keyword_only(self) -> None:
        assert signature("async def f(*, a: int) -> int: ...", "f") == "async def f(*, a: int) -> int"

    def test_private_parameters_do_not_show(self) -> None:
        assert signature("def f(a: int, _b: int = 1) -> None: ...", "f") == "def f(a: int) -> None"

    def test_overloads_have_the_defaults_of_the_implementation(self) -> None:
        code = (
            "@overload\ndef f(a: int, b: int = ...) -> int: ...\n"
            "@overload\ndef f(a: str) -> str: ...\n"
            "def f(a: Any, b: int = 3) -> Any: ..."
        )
        assert signature(code, "f").splitlines() == [
            "def f(a: int, b: int = 3) -> int",
            "def f(a: str) -> str",
        ]
        [found] = read(code, "f").values()
        assert [[one.default for one in overload] for overload in found.overloads] == [["", "..."], [""]]
        assert [(one.name, one.default) for one in found.parameters] == [("a", ""), ("b", "3")]

    def test_private_aliases_and_constants_are_written_out(self) -> None:
        code = (
            "Word: TypeAlias = 'str | None'\nItem: TypeAlias = Word | int\nLIMIT = 60.0\nMADE = object()\n"
            "def f(a: Item | None, b: float = LIMIT, c: object = MADE) -> Sequence[Word]: ..."
        )
        assert signature(code, "f") == (
            "def f(a: str | None | int, b: float = 60.0, c: object = MADE) -> Sequence[str | None]"
        )

    def test_public_aliases_stay_and_are_mentioned(self) -> None:
        code = "Word: TypeAlias = str\ndef f(a: Word) -> None: ..."
        found = read(code, "Word", "f")["finalturn.f"]
        assert found.signature == "def f(a: Word) -> None"
        assert found.mentions == {"finalturn.Word"}


class TestClasses:
    def test_a_dataclass(self) -> None:
        code = (
            "@dataclass(frozen=True)\nclass C:\n    a: int\n    _b: int = 0\n"
            "    c: list[int] = field(default_factory=list)\n    d: int = field(default=1, init=False)\n"
            "    e: Mapping[str, int] = field(default_factory=lambda: {})\n    def m(self) -> None: ...\n"
        )
        found = read(code, "C")
        assert found["finalturn.C"].signature == (
            "@dataclass(frozen=True) class C\nC(a: int, c: list[int] = list(), e: Mapping[str, int] = {})"
        )
        assert {symbol.path: (symbol.kind, symbol.signature) for symbol in found.values()} == {
            "finalturn.C": ("class", found["finalturn.C"].signature),
            "finalturn.C.a": ("field", "a: int"),
            "finalturn.C.c": ("field", "c: list[int] = list()"),
            "finalturn.C.d": ("field", "d: int = 1"),
            "finalturn.C.e": ("field", "e: Mapping[str, int] = {}"),
            "finalturn.C.m": ("method", "def m() -> None"),
        }

    def test_the_order_of_a_dataclass_matters(self) -> None:
        one = signature("@dataclass\nclass C:\n    a: int\n    b: int\n", "C")
        assert one != signature("@dataclass\nclass C:\n    b: int\n    a: int\n", "C")

    def test_an_enumeration(self) -> None:
        found = read("class E(StrEnum):\n    B = 'b'\n    A = 'a'\n", "E")
        assert [(one.path, one.kind, one.signature) for one in found.values()] == [
            ("finalturn.E", "class", "class E(StrEnum)"),
            ("finalturn.E.A", "member", "A = 'a'"),
            ("finalturn.E.B", "member", "B = 'b'"),
        ]

    def test_a_named_tuple(self) -> None:
        code = "class N(NamedTuple):\n    a: int\n    b: str = ''\n"
        assert signature(code, "N") == "class N(NamedTuple)\nN(a: int, b: str = '')"

    def test_a_constructor_with_overloads_and_attributes(self) -> None:
        code = (
            "T = TypeVar('T')\nclass C(Generic[T]):\n"
            "    @overload\n    def __init__(self: C[int], size: int = ...) -> None: ...\n"
            "    @overload\n    def __init__(self: C[str], size: str) -> None: ...\n"
            "    def __init__(self, size: Any = 4) -> None:\n        self.size = size\n        self._x = 1\n"
        )
        found = read(code, "C")
        assert found["finalturn.C"].signature.splitlines() == [
            "class C(Generic[T])",
            "C(size: int = 4) -> C[int]",
            "C(size: str) -> C[str]",
        ]
        assert found["finalturn.C.size"].signature == "size: Any"
        assert len(found) == 2

    def test_a_constructor_that_only_the_package_can_call_does_not_show(self) -> None:
        for kind in ("Part", "Part[int]"):
            code = f"class Part: ...\nclass C:\n    def __init__(self, part: {kind}) -> None: ...\n"
            assert signature(code, "C") == "class C"
            assert read(code, "C")["finalturn.C"].parameters == ()

    def test_members_of_private_bases_are_its_own(self) -> None:
        code = (
            "class Base(Protocol):\n    def m(self) -> int: ...\n    def n(self) -> int: ...\n"
            "class C(Base):\n    def n(self) -> bool: ...\n"
        )
        found = read(code, "C")
        assert found["finalturn.C"].signature == "class C(Protocol)"
        assert found["finalturn.C.m"].signature == "def m() -> int"
        assert found["finalturn.C.m"].home == "finalturn._part.Base.m"
        assert found["finalturn.C.n"].signature == "def n() -> bool"

    def test_members_of_public_bases_are_not_said_again(self) -> None:
        code = "class A:\n    def m(self) -> int: ...\nclass B(A): ...\n"
        assert list(read(code, "A", "B")) == ["finalturn.A", "finalturn.A.m", "finalturn.B"]

    def test_other_members(self) -> None:
        code = (
            "class C:\n    LIMIT: Final = 3\n    __match_args__ = ('a',)\n    __slots__ = ('a',)\n"
            "    @property\n    def p(self) -> int: ...\n"
            "    @property\n    def w(self) -> int: ...\n"
            "    @w.setter\n    def w(self, value: int) -> None: ...\n"
            "    @classmethod\n    def make(cls, a: int) -> C: ...\n"
            "    @staticmethod\n    def s() -> None: ...\n"
            "    def __call__(self) -> int: ...\n    def __repr__(self) -> str: ...\n"
            "    def _p(self) -> None: ...\n"
        )
        assert [(one.name, one.kind, one.signature) for one in read(code, "C").values()] == [
            ("C", "class", "class C"),
            ("LIMIT", "constant", "LIMIT: Final = 3"),
            ("__call__", "method", "def __call__() -> int"),
            ("__match_args__", "constant", "__match_args__ = ('a',)"),
            ("make", "method", "@classmethod def make(a: int) -> C"),
            ("p", "property", "p: int"),
            ("s", "method", "@staticmethod def s() -> None"),
            ("w", "property", "w: int (writable)"),
        ]


class TestConstants:
    def test_an_alias_is_shown_in_full(self) -> None:
        literal = ", ".join(f"'value-{number}'" for number in range(40))
        found = read(f"Kind: TypeAlias = Literal[{literal}]\n", "Kind")["finalturn.Kind"]
        assert (found.kind, found.signature) == ("alias", f"Kind = Literal[{literal}]")

    def test_a_constant_is_too_unless_it_is_a_long_call(self) -> None:
        code = f"A = 'x' 'y'\nB: tuple[int, ...] = (1, 2)\nC = Clause(id='c', text={'y' * 200!r})\n"
        assert [one.signature for one in read(code, "A", "B", "C").values()] == [
            "A = 'xy'",
            "B: tuple[int, ...] = (1, 2)",
            "C = Clause(id='c', ...)",
        ]


class TestLevels:
    def test_of_a_class_its_members_and_those_that_differ(self) -> None:
        code = (
            '@stable(since=NEXT, fields={"b": beta(since="0.2.0")})\n@dataclass\nclass C:\n'
            "    a: int\n    b: int\n    @beta(since='0.3.0')\n    def m(self) -> None: ...\n"
        )
        found = read(code, "C")
        assert {one.name: (one.level, one.since) for one in found.values()} == {
            "C": ("stable", "NEXT"),
            "a": ("stable", "NEXT"),
            "b": ("beta", "0.2.0"),
            "m": ("beta", "0.3.0"),
        }
        assert found["finalturn.C"].differing == ("b",)

    def test_of_a_parameter_that_differs(self) -> None:
        code = (
            '@stable(since="0.1.0", fields={"b": beta(since=NEXT)})\ndef f(a: int, b: int = 1) -> None: ...\n'
        )
        found = read(code, "f")
        assert (found["finalturn.f.b"].kind, found["finalturn.f.b"].level) == ("parameter", "beta")
        assert "finalturn.f.a" not in found

    def test_of_constants_and_by_a_call(self) -> None:
        code = (
            'A = 1\nstable(since=NEXT).constant(__name__, "A")\n'
            "def f() -> None: ...\nbeta(since='0.2.0')(f)\n"
            'C = Clause(id="c", since="0.1.0", stability="beta")\n'
        )
        found = read(code, "A", "f", "C")
        assert {one.name: (one.level, one.since) for one in found.values()} == {
            "A": ("stable", "NEXT"),
            "f": ("beta", "0.2.0"),
            "C": ("beta", "0.1.0"),
        }

    def test_none_at_all(self) -> None:
        [found] = read("def f() -> None: ...\n", "f").values()
        assert (found.level, found.since) == ("", "")

    def test_a_deprecation(self) -> None:
        code = '@stable(since="0.1.0")\n@deprecated("use " "g")\ndef f() -> None: ...\n'
        assert read(code, "f")["finalturn.f"].deprecated == "use g"


class TestWhatDoesNotMatter:
    CODE = (
        "@stable(since=NEXT)\n@dataclass(frozen=True)\nclass C:\n    a: int = 1\n\n"
        "    def m(self, x: 'int', *, y: str = 'a') -> None:\n        return None\n\n"
        "    def n(self) -> None: ...\n\n\n"
        "@beta(since=NEXT)\ndef f(a: Mapping[str, Callable[[int], str]]) -> None: ...\n"
    )
    REFORMATTED = (
        "# A comment.\n@beta(\n    since=NEXT,\n)\n"
        "def f(\n    a: Mapping[\n        str, Callable[[int], str],\n    ],\n) -> None:\n    print(a)\n\n"
        "def _private() -> None: ...\n\n"
        "@stable(since = NEXT)\n@dataclass( frozen = True )\nclass C:\n    a: int=(1)\n    _hidden: int = 2\n"
        "    def n(self) -> None: ...\n    def _own(self) -> None: ...\n"
        '    def m(self, x: int, *, y: str = "a") -> None: ...\n'
    )

    def test_order_format_and_what_is_private(self) -> None:
        before, after = read(self.CODE, "C", "f"), read(self.REFORMATTED, "f", "C")
        assert list(before) == list(after)
        assert {path: one.signature for path, one in before.items()} == {
            path: one.signature for path, one in after.items()
        }


class TestListings:
    def test_a_name_that_is_nowhere(self) -> None:
        api = extract({ROOT: '"""All."""\n\n__all__ = [\n    "gone",\n]\n'})
        assert not api.symbols
        assert [(one.name, one.home, one.line) for one in api.listings] == [("gone", "", 4)]

    def test_a_circle_of_imports_ends(self) -> None:
        circle = "from finalturn._part import x\n__all__ = ['x']\n"
        assert not extract({ROOT: circle, PART: "from finalturn import x\n"}).symbols


class TestThePackage:
    def test_every_public_name_is_there(self) -> None:
        symbols = PROJECT.api.symbols
        assert {f"finalturn.{name}" for name in finalturn.__all__} <= symbols.keys()
        modules = {symbol.home for symbol in symbols.values() if symbol.parent not in symbols}
        assert len(modules) > 100

    def test_its_definitions_are_where_it_says(self) -> None:
        for symbol in PROJECT.api.symbols.values():
            lines = PROJECT.files[symbol.file].splitlines()
            assert symbol.line <= len(lines)

    def test_nothing_was_imported_for_it(self) -> None:
        files = {
            ROOT: "from finalturn._part import f\n__all__ = ['f']\n",
            PART: "import nothing_like_it\ndef f(): ...\n",
        }
        assert list(extract(files).symbols) == ["finalturn.f"]
        assert "nothing_like_it" not in sys.modules


def test_names_that_another_module_lists() -> None:
    part = f'{HEAD}\n__all__ = ["F"]\n@stable(since=NEXT)\nclass F: ...\nclass Unlisted: ...\n'
    gates = (
        '"""All."""\nfrom finalturn import _part\nfrom finalturn._part import *\n'
        "__all__ = []\n__all__ += _part.__all__\n"
    )
    files = {ROOT: "", "src/finalturn/gates.py": gates, PART: part}
    assert list(extract(files).symbols) == ["finalturn.gates.F"]
