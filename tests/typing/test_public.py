"""Frozen classes, when they run: nothing can be set, and a changed copy can be made of each."""

from __future__ import annotations

import copy
import sys
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, replace
from datetime import UTC, datetime
from typing import Any, Literal

import pytest

from finalturn import AgentResult, ContentPart, Message, StreamChunk
from tests.typing._public import frozen_classes, public_classes, refused

FROZEN = frozen_classes()

# Where what is required and a simple value of it is not all that the class wants.
MADE: dict[type[Any], Any] = {
    ContentPart: lambda: ContentPart.image_url("https://example.org/a.png"),
    StreamChunk: lambda: StreamChunk("text"),
}


def made(kind: type[Any]) -> Any:
    """An object of the class: what it wants, and nothing else."""
    if kind in MADE:
        return MADE[kind]()
    hints = typing.get_type_hints(kind, localns={"datetime": datetime})
    wanted = [field for field in fields(kind) if field.init and not _has_default(field)]
    return kind(**{field.name: value_of(hints[field.name]) for field in wanted})


def value_of(hint: Any) -> Any:
    """A simple value of a type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return arguments[0]
    if origin in (typing.Union, types.UnionType):
        return None if type(None) in arguments else value_of(arguments[0])
    if isinstance(hint, typing.TypeVar) or hint is Any:
        return None
    if hint is datetime:
        return datetime(2026, 1, 2, tzinfo=UTC)
    if (frozen := origin or hint) in FROZEN.values():
        return made(frozen)
    if origin in (Mapping, dict) or hint is Mapping:
        return {}
    if origin in (Sequence, tuple):
        return ()
    if isinstance(hint, type) and issubclass(hint, str) and hint is not str:
        return next(iter(hint))  # type: ignore[call-overload]  # an enumeration
    return origin() if isinstance(origin, type) else hint()


def _has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


@pytest.mark.parametrize("path", FROZEN)
def test_a_changed_copy_can_be_made(path: str) -> None:
    one = made(FROZEN[path])
    again = replace(one)
    assert again == one
    assert type(again) is type(one)
    for field in fields(one):
        if field.init:
            assert replace(one, **{field.name: getattr(one, field.name)}) == one
    if sys.version_info >= (3, 13):
        assert copy.replace(one) == one


@pytest.mark.parametrize("path", FROZEN)
def test_nothing_can_be_set_or_deleted(path: str) -> None:
    one = made(FROZEN[path])
    for name in (field.name for field in fields(one)):
        before = getattr(one, name)
        with pytest.raises(AttributeError):
            setattr(one, name, before)
        with pytest.raises(AttributeError):
            delattr(one, name)
        assert getattr(one, name) is before


def test_what_is_refused_is_found_out_from_the_classes() -> None:
    found = {path: list(refused(kind)) for path, kind in public_classes().items()}
    for path, kind in FROZEN.items():
        assert set(found[path]) >= {field.name for field in fields(kind) if not field.name.startswith("_")}
    assert {"finalturn.StreamChunk", "finalturn.Message", "finalturn.AgentResult"} <= set(FROZEN)
    assert found["finalturn.AgentStream"] == ["result", "usage"]
    assert found["finalturn.ProviderError"] == []


def test_a_copy_is_checked_as_the_first_one_was() -> None:
    with pytest.raises(ValueError, match="exactly one of"):
        replace(StreamChunk("text"), reasoning="hm")
    assert replace(Message.user("hi"), content="bye") == Message.user("bye")


def test_no_field_is_typed_as_if_it_could_be_changed() -> None:
    for path, kind in FROZEN.items():
        for name, hint in typing.get_type_hints(kind, localns={"datetime": datetime}).items():
            assert typing.get_origin(hint) not in (list, dict, set) and hint not in (list, dict, set), (
                path,
                name,
            )


def test_a_result_keeps_its_type() -> None:
    result: AgentResult[int] = made(AgentResult)
    assert replace(result, parsed=3).parsed == 3
