"""Frozen JSON values: unchangeable, and otherwise as good as plain ones."""

from __future__ import annotations

import copy
import json
import pickle
from collections import UserList
from collections.abc import Callable, Iterable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core import json_text
from finalturn._core.errors import MessageFormatError
from finalturn._core.frozen import FrozenDict, FrozenList, freeze, thaw
from finalturn._core.json_text import MAX_DEPTH
from finalturn._core.type_guards import is_array, is_dict
from tests.core._values import JSON, nested

VALUE: dict[str, Any] = {"a": [1, {"b": [True, None, 1.5, "x"]}], "c": {}}


def _delete(value: Any, key: object) -> None:
    del value[key]


def _set(value: Any, key: object) -> None:
    value[key] = 1


def _add(value: Any) -> None:
    value += [1]


def _times(value: Any) -> None:
    value *= 2


def _or(value: Any) -> None:
    value |= {"z": 1}


OF_DICTS: list[Callable[[Any], object]] = [
    lambda value: _set(value, "a"),
    lambda value: _delete(value, "a"),
    _or,
    lambda value: value.clear(),
    lambda value: value.pop("a"),
    lambda value: value.popitem(),
    lambda value: value.setdefault("z", 1),
    lambda value: value.update(z=1),
]
OF_LISTS: list[Callable[[Any], object]] = [
    lambda value: _set(value, 0),
    lambda value: _set(value, slice(0, 1)),
    lambda value: _delete(value, 0),
    _add,
    _times,
    lambda value: value.append(1),
    lambda value: value.clear(),
    lambda value: value.extend([1]),
    lambda value: value.insert(0, 1),
    lambda value: value.pop(),
    lambda value: value.remove(1),
    lambda value: value.reverse(),
    lambda value: value.sort(),
]


@pytest.mark.parametrize("change", OF_DICTS)
def test_a_dict_cannot_be_changed(change: Callable[[Any], object]) -> None:
    frozen = freeze(VALUE, "x")
    with pytest.raises(TypeError, match=r"FrozenDict is frozen; change a plain copy: json\.loads"):
        change(frozen)
    assert frozen == VALUE


@pytest.mark.parametrize("change", OF_LISTS)
def test_a_list_cannot_be_changed(change: Callable[[Any], object]) -> None:
    frozen = freeze(VALUE, "x")
    with pytest.raises(TypeError, match="FrozenList is frozen"):
        change(frozen["a"])
    assert frozen == VALUE


def test_every_mutator_of_the_built_in_types_is_refused() -> None:
    readers = {"copy", "fromkeys", "get", "items", "keys", "values", "count", "index"}
    for frozen, plain in ((FrozenDict, dict), (FrozenList, list)):
        mutators = {name for name in vars(plain) if not name.startswith("_")} - readers
        mutators |= {"__setitem__", "__delitem__", "__iadd__", "__imul__", "__ior__"}
        for name in mutators & set(vars(plain)):
            assert getattr(frozen, name) is not getattr(plain, name), name


def test_there_is_no_room_for_attributes() -> None:
    for frozen in (FrozenDict(), FrozenList()):
        with pytest.raises(AttributeError):
            frozen.note = 1  # type: ignore[union-attr]  # pyright: ignore


@given(JSON)
def test_it_is_equal_to_the_plain_value_and_can_be_hashed(value: Any) -> None:
    frozen = freeze(value, "x")
    assert frozen == value
    assert value == frozen
    again = freeze(json.loads(json.dumps(value)), "x")
    assert again == frozen
    assert hash(again) == hash(frozen)


def test_equal_ones_have_equal_hashes_whatever_their_order() -> None:
    one, other = freeze({"a": [1], "b": [True]}, "x"), freeze({"b": [1.0], "a": [True]}, "x")
    assert one == other and hash(one) == hash(other)
    assert len({one, other, freeze({"a": [2]}, "x")}) == 2
    assert len({freeze([1], "x"), freeze([2], "x"), freeze([True], "x")}) == 2


@given(JSON)
def test_thawing_gives_a_plain_copy(value: Any) -> None:
    frozen = freeze(value, "x")
    thawed = thaw(frozen)
    assert thawed == value
    assert "Frozen" not in "".join(sorted(type(one).__name__ for one in _inside(thawed)))
    if value and isinstance(thawed, (dict, list)):
        thawed.clear()
        assert frozen == value


def _inside(value: Any) -> list[Any]:
    items: Iterable[Any] = ()
    if is_dict(value):
        items = value.values()
    elif is_array(value):
        items = value
    return [value, *(one for item in items for one in _inside(item))]


@given(JSON)
def test_it_can_be_copied_pickled_and_written(value: Any) -> None:
    frozen = freeze(value, "x")
    assert copy.copy(frozen) is frozen or not isinstance(frozen, (dict, list))
    assert copy.deepcopy(frozen) == frozen
    again = pickle.loads(pickle.dumps(frozen))
    assert again == frozen
    assert {type(one) for one in _inside(again)} == {type(one) for one in _inside(frozen)}
    assert json.dumps(frozen) == json.dumps(value)
    assert json_text.encode(frozen) == json_text.encode(value)


def test_copies_and_sums_are_plain() -> None:
    frozen = freeze(VALUE, "x")
    assert type(frozen.copy()) is dict
    assert type(frozen | {"z": 1}) is dict
    assert type(frozen["a"] + [1]) is list


def test_what_is_frozen_is_not_copied_again() -> None:
    frozen = freeze(VALUE, "x")
    assert freeze(frozen, "x") is frozen
    assert freeze(frozen["a"], "x") is frozen["a"]


@pytest.mark.parametrize(
    ("value", "frozen"),
    [
        ((1, (2,)), [1, [2]]),
        (UserList([1]), [1]),
        (range(3), [0, 1, 2]),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (2**70, 2**70),
        ([10**4300 - 1], [10**4300 - 1]),
        ("\ud83d", "\ud83d"),
    ],
)
def test_other_sequences_and_mappings_count(value: object, frozen: object) -> None:
    found = freeze(value, "x")
    assert found == frozen
    assert type(found).__name__.removeprefix("Frozen").lower() == type(frozen).__name__


def test_subclasses_of_scalars_become_plain() -> None:
    class Number(int):
        pass

    class Real(float):
        pass

    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "something else"

    found = freeze({Text("k"): [Number(1), Real(1.5), Text("t"), True]}, "x")
    assert found == {"k": [1, 1.5, "t", True]}
    assert [type(one) for one in found["k"]] == [int, float, str, bool]
    assert [type(key) for key in found] == [str]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (float("nan"), "holds a number that JSON does not have"),
        ([float("-inf")], "holds a number that JSON does not have"),
        ([10**4300], "holds a number that is too large"),
        ({"a": -(10**4300)}, "holds a number that is too large"),
        ({1: 2}, "has a key of type int; keys are strings"),
        ({None: 2}, "has a key of type NoneType; keys are strings"),
        ([object()], "holds a object, which JSON does not have"),
        ({1, 2}, "holds a set, which JSON does not have"),
        (b"x", "holds a bytes, which JSON does not have"),
        ([bytearray(b"x")], "holds a bytearray, which JSON does not have"),
        ((one for one in "ab"), "holds a generator, which JSON does not have"),
        (1j, "holds a complex, which JSON does not have"),
    ],
)
def test_what_json_does_not_have_is_refused(value: object, problem: str) -> None:
    with pytest.raises(MessageFormatError) as caught:
        freeze(value, "call.arguments")
    assert (caught.value.field, caught.value.problem) == ("call.arguments", problem)


def test_depth_is_bounded() -> None:
    assert freeze(nested(MAX_DEPTH), "x") == nested(MAX_DEPTH)
    circle: list[Any] = []
    circle.append(circle)
    for value in (nested(MAX_DEPTH + 1), nested(400), circle):
        with pytest.raises(MessageFormatError, match=r"^x: is nested more than 100 deep$"):
            freeze(value, "x")


def test_what_is_frozen_already_counts() -> None:
    inner = freeze(nested(MAX_DEPTH), "x")
    with pytest.raises(MessageFormatError, match="deep"):
        freeze([inner], "x")


def test_a_stack_that_is_nearly_full_is_no_other_error() -> None:
    value = nested(MAX_DEPTH)

    def descend() -> None:
        try:
            freeze(value, "x")
        except MessageFormatError:
            return
        descend()

    descend()


@given(st.lists(st.integers(), max_size=3))
def test_reading_works_as_ever(value: list[int]) -> None:
    frozen = freeze({"a": value}, "x")
    assert list(frozen["a"]) == value
    assert frozen["a"][:2] == value[:2]
    assert sorted(frozen["a"]) == sorted(value)
    assert list(frozen.items()) == [("a", value)]
    match frozen:
        case {"a": [first, *_]}:
            assert first == value[0]
        case {"a": []}:
            assert value == []
        case _:
            pytest.fail("it does not match")
