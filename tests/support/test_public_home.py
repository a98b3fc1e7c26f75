"""What is public says so: nobody has to import, or to read of, a private module."""

from __future__ import annotations

import importlib
import pickle
import traceback
from types import FunctionType
from typing import Any, get_type_hints

import pytest

import finalturn
from finalturn import AgentResult, Message, ProviderError, StreamChunk, Usage
from finalturn._support.public_home import defined_in
from finalturn.stability import marker_of

MODULES = [
    "finalturn", "finalturn.contract", "finalturn.gates", "finalturn.local", "finalturn.providers",
    "finalturn.serve", "finalturn.sessions", "finalturn.testing",
]  # fmt: skip
# They name types that only type checkers import.
UNRESOLVED = {"Agent", "SessionSummary"}


def public(module: str) -> dict[str, Any]:
    """The classes and functions that a module lists under their own names."""
    found = importlib.import_module(module)
    named = {name: getattr(found, name) for name in found.__all__}
    return {
        name: thing
        for name, thing in named.items()
        if isinstance(thing, (type, FunctionType)) and thing.__qualname__ == name
    }


@pytest.mark.parametrize("module", MODULES)
def test_each_public_name_is_of_the_module_that_lists_it(module: str) -> None:
    things = public(module)
    assert things
    for name, thing in things.items():
        assert thing.__module__ == module, name
        assert pickle.loads(pickle.dumps(thing)) is thing
        assert defined_in(thing).startswith(f"{module.split('.')[0]}."), name
        assert getattr(importlib.import_module(defined_in(thing)), name) is thing
        assert marker_of(thing) is not None, name


@pytest.mark.parametrize("name", sorted(public("finalturn").keys() - UNRESOLVED))
def test_its_types_can_be_read(name: str) -> None:
    get_type_hints(getattr(finalturn, name), include_extras=True)


def test_a_traceback_shows_the_public_name() -> None:
    lines = traceback.format_exception(ProviderError("down"))
    assert lines == ["finalturn.ProviderError: down\n"]


@pytest.mark.parametrize(
    "value", [StreamChunk("a"), Usage(1), Message.user("hi"), ProviderError("down", status=500)]
)
def test_values_can_be_pickled(value: object) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value)
    assert type(again) is type(value)


def test_what_was_pickled_under_the_private_name_can_be_read() -> None:
    assert pickle.loads(pickle_text(Usage)) is Usage


def pickle_text(kind: type) -> bytes:
    """A pickle of the class by the module that it is written in, in the protocol that is text."""
    return f"c{defined_in(kind)}\n{kind.__name__}\n.".encode()


def test_what_is_not_public_is_defined_where_it_says() -> None:
    assert defined_in(pickle_text) == __name__
    assert defined_in(AgentResult) == "finalturn._core.result"
    assert defined_in(int) == "builtins"
