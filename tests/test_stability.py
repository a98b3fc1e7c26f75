"""Markers: what they say, and that they leave what they mark alone."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar, get_args, runtime_checkable

import pytest
from typing_extensions import deprecated, get_protocol_members, is_protocol

import finalturn
from finalturn import contract, stability
from finalturn.contract import Clause
from finalturn.stability import NEXT, Marker, beta, marker_of, markers, stable
from tools.contractdocs.modules import PUBLIC_MODULES

T = TypeVar("T")


@stable(since="0.1.0")
@runtime_checkable
class Speaks(Protocol):
    def speak(self) -> str: ...


class Dog:
    def speak(self) -> str:
        return "woof"


@stable(since="0.1.0", fields={"loud": beta(since="0.2.0")})
@dataclass(frozen=True, slots=True)
class Config(Generic[T]):
    value: T
    loud: bool = False


@beta(since=NEXT)
def shout(text: str) -> str:
    return text.upper()


Reason: TypeAlias = Literal["done", "cut"]
stable(since="0.3.0").constant(__name__, "Reason")


class TestMarkers:
    def test_they_say_a_level_and_a_version(self) -> None:
        assert marker_of(shout) == beta(since=NEXT)
        assert marker_of(Speaks) == Marker("stable", "0.1.0")
        assert markers()[f"{__name__}.Reason"] == stable(since="0.3.0")

    def test_fields_may_differ(self) -> None:
        found = marker_of(Config)
        assert found is not None
        assert dict(found.fields) == {"loud": beta(since="0.2.0")}

    def test_what_is_not_marked_has_none(self) -> None:
        class Louder(Config[int]):
            pass

        assert marker_of(Dog) is marker_of(Louder) is marker_of(3) is None

    def test_they_cannot_be_changed(self) -> None:
        marker: Any = stable(since="0.1.0", fields={})
        with pytest.raises(AttributeError):
            marker.since = "0.2.0"
        with pytest.raises(TypeError):
            marker.fields["x"] = marker
        table: Any = markers()
        with pytest.raises(TypeError):
            table["x"] = marker


class TestWhatIsMarked:
    def test_it_is_the_very_same_object(self) -> None:
        def plain() -> None: ...

        before = dict(vars(plain))
        assert stable(since=NEXT)(plain) is plain
        assert vars(plain) == before

    def test_a_protocol_gains_no_member(self) -> None:
        assert isinstance(Dog(), Speaks)
        assert not isinstance(3, Speaks)
        assert get_protocol_members(Speaks) == {"speak"}

    def test_a_dataclass_keeps_its_slots_fields_and_type_parameters(self) -> None:
        assert [field.name for field in fields(Config)] == ["value", "loud"]
        assert not hasattr(Config(1), "__dict__")
        assert get_args(Config[int]) == (int,)


class TestDeprecated:
    # As an editor would, pyright reports each use of what is deprecated.

    def test_a_function_warns_and_keeps_its_marker(self) -> None:
        @stable(since="0.1.0")
        @deprecated("deprecated in 0.2.0: use shout(); removed in 1.0.0")
        def cry(text: str) -> str:
            return shout(text)

        with pytest.warns(DeprecationWarning, match=r"use shout\(\)"):
            assert cry("a") == "A"  # pyright: ignore[reportDeprecated]
        assert marker_of(cry) == stable(since="0.1.0")  # pyright: ignore[reportDeprecated]

    def test_a_class_warns_when_one_is_made_and_isinstance_does_not(self) -> None:
        @stable(since="0.1.0")
        @deprecated("deprecated in 0.2.0: use Dog; removed in 1.0.0")
        class Cat:
            def speak(self) -> str:
                return "miaow"

        with pytest.warns(DeprecationWarning, match="use Dog"):
            cat = Cat()  # pyright: ignore[reportDeprecated]
        assert isinstance(cat, Cat) and isinstance(cat, Speaks)  # pyright: ignore[reportDeprecated]
        assert marker_of(Cat) == stable(since="0.1.0")  # pyright: ignore[reportDeprecated]


def public_names() -> list[tuple[str, str]]:
    return [
        (module, name)
        for module in PUBLIC_MODULES
        for name in getattr(importlib.import_module(module), "__all__", ())
    ]


def is_marked(module: str, name: str) -> bool:
    """A class or function by itself; a constant where some module defines it; a clause says its own level."""
    thing = getattr(importlib.import_module(module), name)
    if isinstance(thing, Clause) or inspect.isclass(thing) or inspect.isfunction(thing):
        return isinstance(thing, Clause) or marker_of(thing) is not None
    homes = [key.rpartition(".")[0] for key in markers() if key.rpartition(".")[2] == name]
    return any(getattr(sys.modules[home], name) is thing for home in homes if home in sys.modules)


class TestThePackage:
    @pytest.mark.parametrize(("module", "name"), public_names())
    def test_every_public_name_has_a_marker(self, module: str, name: str) -> None:
        assert is_marked(module, name)

    def test_every_marker_is_of_something_that_is_there(self) -> None:
        for path in markers():
            module, _, name = path.rpartition(".")
            if module.startswith("finalturn"):
                assert hasattr(importlib.import_module(module), name)

    def test_there_are_names(self) -> None:
        assert len(public_names()) > 100
        assert len(contract.CLAUSES) > 40

    def test_the_protocols_have_no_more_members_than_they_say(self) -> None:
        things = {name: getattr(finalturn, name) for name in finalturn.__all__}
        found = {name: get_protocol_members(thing) for name, thing in things.items() if is_protocol(thing)}
        assert found == {
            "ContextGate": {"check"},
            "ContextPredicate": {"__call__"},
            "Provider": {"complete"},
            "SessionCatalog": {"list_sessions", "delete"},
            "SessionStore": {"load", "append"},
            "ShouldFinalize": {"__call__"},
            "StreamHandler": {"__call__"},
            "StreamingProvider": {"stream"},
            "ToolGate": {"check"},
            "TurnObserver": {"observe"},
            "TurnWatch": {"on_event"},
        }

    def test_stability_imports_nothing_of_the_package(self) -> None:
        tree = ast.parse(Path(stability.__file__).read_text(encoding="utf-8"))
        imported = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert imported
        assert not any(str(module).startswith("finalturn") for module in imported)
