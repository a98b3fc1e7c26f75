"""Which values count as mappings and arrays."""

from __future__ import annotations

from array import array
from collections import UserDict, UserList, deque
from collections.abc import Callable
from types import MappingProxyType

import pytest

from finalturn._core.type_guards import is_array, is_dict, is_mapping, is_sequence

KINDS: list[tuple[object, str]] = [
    ({}, "mapping dict"),
    (UserDict(), "mapping"),
    (MappingProxyType({}), "mapping"),
    ([], "array sequence"),
    ((), "array sequence"),
    (UserList(), "sequence"),
    (range(2), "sequence"),
    (deque(), "sequence"),
    ("ab", ""),
    (b"ab", ""),
    (bytearray(b"ab"), ""),
    (memoryview(b"ab"), ""),
    ({1}, ""),
    (None, ""),
    (1, ""),
    (array("i"), "sequence"),
]


@pytest.mark.parametrize(("value", "kinds"), KINDS)
def test_kinds(value: object, kinds: str) -> None:
    tests: dict[str, Callable[[object], bool]] = {
        "mapping": is_mapping,
        "dict": is_dict,
        "array": is_array,
        "sequence": is_sequence,
    }
    assert " ".join(name for name, test in tests.items() if test(value)) == kinds
