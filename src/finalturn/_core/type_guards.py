"""Narrowing of values whose type is not known, in a form that every type checker follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it is a mapping, of whatever."""
    return isinstance(value, Mapping)


def is_dict(value: object) -> TypeGuard[dict[Any, Any]]:
    """Whether it is a dict, of whatever."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether it is a list or a tuple, of whatever."""
    return isinstance(value, (list, tuple))


def is_sequence(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether it is a sequence of items: neither text nor bytes."""
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray, memoryview))
