"""JSON of which nothing is known yet, as the type that is looked for."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._providers.json_types import arguments_text, as_array, as_int, as_object, as_text

VALUES: list[object] = [None, True, 0, 7, 1.5, "x", [1], {"a": 1}]


def test_another_type_is_taken_for_nothing() -> None:
    assert [as_object(value) for value in VALUES if as_object(value)] == [{"a": 1}]
    assert [as_array(value) for value in VALUES if as_array(value)] == [[1]]
    assert [as_text(value) for value in VALUES if as_text(value)] == ["x"]
    assert [as_int(value) for value in VALUES] == [None, None, 0, 7, None, None, None, None]


def nested(depth: int) -> Any:
    found: Any = {}
    for _ in range(depth):
        found = {"a": found}
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, ""),
        ("", ""),
        ('{"a":1}', '{"a":1}'),
        ({"a": 1}, '{"a":1}'),
        ({}, "{}"),
        ([1], "[1]"),
        (7, "7"),
        (nested(2000), "["),
    ],
)
def test_the_input_of_a_call_is_text(given: object, expected: str) -> None:
    assert arguments_text(given) == expected
