"""Unknown JSON, taken for what is looked for."""

from __future__ import annotations

from finalturn._providers.json_types import as_array, as_int, as_object, as_text

VALUES: list[object] = [None, True, 0, 7, 1.5, "x", [1], {"a": 1}]


def test_another_type_is_taken_for_nothing() -> None:
    assert [as_object(value) for value in VALUES if as_object(value)] == [{"a": 1}]
    assert [as_array(value) for value in VALUES if as_array(value)] == [[1]]
    assert [as_text(value) for value in VALUES if as_text(value)] == ["x"]
    assert [as_int(value) for value in VALUES] == [None, None, 0, 7, None, None, None, None]
